package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// payinOnly marks a text or code that does not occur on a payout.
const payinOnly = failures.Answer("")

// What Nigerian providers and the ISO standards send about payments that are paid or in
// progress, and the texts that they print beside their codes. A text means the same in the
// field of the code and, without a code, in the field of the message.
func TestWhatBanksAndNigerianProvidersSend(t *testing.T) {
	const paid, open = failures.AnswerSuccess, failures.AnswerPending
	noFunds := func(d errcodes.Direction) failures.Answer {
		if d == errcodes.Payin {
			return failures.Answer(errcodes.FailurePayinInsufficientFunds)
		}
		return failures.Answer(errcodes.ErrorPayoutInsufficientFunds)
	}
	n := normaliser(t, nil)
	for name, c := range map[string]struct {
		scheme        failures.Scheme
		text          string
		payin, payout failures.Answer
	}{
		"Paystack: the bank approved":                     {failures.Paystack, "Approved by Financial Institution", paid, paid},
		"Paystack: approved at a terminal":                {failures.Paystack, "Approved or completed successfully", paid, paid},
		"Paystack: approved in test mode":                 {failures.Paystack, "[Test] Approved", paid, paid},
		"Paystack: paid by mobile money":                  {failures.Paystack, "Payment successful", paid, paid},
		"Paystack: paid, message of mobile money":         {failures.Paystack, "madePayment", paid, paid},
		"Paystack: paid, message of a terminal":           {failures.Paystack, "Payment Made", paid, paid},
		"Paystack: paid by Capitec Pay":                   {failures.Paystack, "Charge successful", paid, paid},
		"Paystack: checkout not finished":                 {failures.Paystack, "The transaction was not completed", open, open},
		"Paystack: direct debit in progress":              {failures.Paystack, "Transaction in progress", open, open},
		"Paystack: processing":                            {failures.Paystack, "processing", open, open},
		"Paystack: queued":                                {failures.Paystack, "queued", open, open},
		"Paystack: ongoing":                               {failures.Paystack, "ongoing", open, open},
		"Paystack: payer approves on the phone":           {failures.Paystack, "Please complete authorization process on your mobile phone", open, open},
		"Paystack: the request was taken":                 {failures.Paystack, "Charge attempted", open, open},
		"Paystack: the question was answered":             {failures.Paystack, "Verification successful", open, open},
		"Paystack: transfer queued":                       {failures.Paystack, "Transfer has been queued", open, open},
		"Paystack: transfer waits for a password":         {failures.Paystack, "Transfer requires OTP to continue", open, open},
		"Paystack: waits for a bank transfer":             {failures.Paystack, "pending_bank_transfer", open, open},
		"Paystack: reserved, not captured":                {failures.Paystack, "authorized", open, open},
		"Paystack: captured":                              {failures.Paystack, "captured", paid, paid},
		"Paystack: reservation released":                  {failures.Paystack, "released", declined, payinOnly},
		"Paystack: paid, refund under way":                {failures.Paystack, "Reversal pending", paid, paid},
		"Paystack: refund sent":                           {failures.Paystack, "processed", paid, paid},
		"Paystack: refund waits for bank details":         {failures.Paystack, "needs-attention", open, open},
		"Paystack: charge timed out":                      {failures.Paystack, "timeout", timedOut, payinOnly},
		"Paystack: payer sent another amount":             {failures.Paystack, "incorrect amount sent", failures.Answer(errcodes.ErrorInvalidAmount), payinOnly},
		"Flutterwave: the bank approved":                  {failures.Flutterwave, "Approved by Financial Institution", paid, paid},
		"Flutterwave: transaction successful":             {failures.Flutterwave, "Transaction Successful", paid, paid},
		"Flutterwave: transfer was successful":            {failures.Flutterwave, "Transaction was successful", paid, paid},
		"Flutterwave: the request was answered":           {failures.Flutterwave, "success", open, open},
		"Flutterwave: charge started":                     {failures.Flutterwave, "Charge initiated", open, open},
		"Flutterwave: transfer queued":                    {failures.Flutterwave, "Transfer Queued Successfully", open, open},
		"Flutterwave: transfer processing":                {failures.Flutterwave, "processing", open, open},
		"Flutterwave: success, but not validated":         {failures.Flutterwave, "Success-Pending-otp-validation", open, open},
		"Flutterwave: waits for the payer's USSD":         {failures.Flutterwave, "Pending payment validation", open, open},
		"Flutterwave: wallet token being fetched":         {failures.Flutterwave, "Payment token retrieval has been initiated", open, open},
		"Flutterwave: waits for authentication":           {failures.Flutterwave, "Transaction is pending authentication", open, open},
		"Flutterwave: request accepted":                   {failures.Flutterwave, "Request Accepted", open, open},
		"Flutterwave: accepted, waits for confirmation":   {failures.Flutterwave, "request successful 20230712200256022250 Payment Request has been Accepted Successfully Waiting for Confirmation", open, open},
		"Flutterwave: card refund done":                   {failures.Flutterwave, "completed-mpgs", paid, paid},
		"Flutterwave: mobile money refund open":           {failures.Flutterwave, "pending-momo", open, open},
		"Interswitch: approved":                           {failures.Interswitch, "Approved or completed successfully", paid, paid},
		"Interswitch: the bank approved":                  {failures.Interswitch, "Approved by Financial Institution", paid, paid},
		"Interswitch: the bank approved a VIP":            {failures.Interswitch, "Approved by Financial Institution, VIP", paid, paid},
		"Interswitch: Quickteller successful":             {failures.Interswitch, "Successful", paid, paid},
		"Interswitch: search says completed":              {failures.Interswitch, "COMPLETED", paid, paid},
		"Interswitch: refunded":                           {failures.Interswitch, "REFUNDED", paid, paid},
		"Interswitch: request in progress":                {failures.Interswitch, "Request in Progress", open, open},
		"Interswitch: search says pending":                {failures.Interswitch, "PENDING", open, open},
		"Interswitch: status unconfirmed":                 {failures.Interswitch, "Transaction Status Unconfirmed", open, open},
		"Interswitch: settlement to come":                 {failures.Interswitch, "PENDING SETTLEMENT", open, open},
		"Interswitch: password needed":                    {failures.Interswitch, "An OTP is required before transaction is approved", open, open},
		"Interswitch: no funds":                           {failures.Interswitch, "Insufficient Funds", noFunds(errcodes.Payin), noFunds(errcodes.Payout)},
		"Interswitch: identity to be checked":             {failures.Interswitch, "Honor with Identification", declined, declined},
		"NIP: approved":                                   {failures.NIBSSNIP, "Approved or completed successfully", paid, paid},
		"NIP: processed, as eTranzact words it":           {failures.NIBSSNIP, "Transaction Successfully Processed", paid, paid},
		"NIP: status unknown":                             {failures.NIBSSNIP, "Status unknown, please wait for settlement report", open, open},
		"NIP: status unknown, as eTranzact words it":      {failures.NIBSSNIP, "Transaction Status Unknown", open, open},
		"NIP: the recipient's bank has yet to answer":     {failures.NIBSSNIP, "Awaiting Response from Destination Institution", open, open},
		"NIP: in progress":                                {failures.NIBSSNIP, "Request processing in progress", open, open},
		"NIP: eTranzact has no answer":                    {failures.NIBSSNIP, "-1", open, open},
		"NIP: error of VFD's own, to be asked again":      {failures.NIBSSNIP, "500", open, open},
		"NIP: dormant account":                            {failures.NIBSSNIP, "Dormant Account", inactive, inactive},
		"NIP: no funds":                                   {failures.NIBSSNIP, "No sufficient funds", noFunds(errcodes.Payin), noFunds(errcodes.Payout)},
		"ISO 8583: approved":                              {failures.ISO8583, "Approved or completed successfully", paid, paid},
		"ISO 8583: in progress":                           {failures.ISO8583, "Request in progress", open, open},
		"ISO 8583: an Amex counter was synchronised":      {failures.ISO8583, "900", open, open},
		"ISO 8583:1993: approved":                         {failures.ISO8583of1993, "Approved", paid, paid},
		"ISO 8583:1993: approved in part":                 {failures.ISO8583of1993, "Approved for partial amount", paid, paid},
		"ISO 8583:1993: in progress":                      {failures.ISO8583of1993, "Request in progress", open, open},
		"ISO 8583:1993: advice received, nobody liable":   {failures.ISO8583of1993, "900", open, open},
		"ISO 8583:1993: advice received, liability taken": {failures.ISO8583of1993, "901", open, open},
		"ISO 8583:2003: advice received, nobody liable":   {failures.ISO8583of1993, "9000", open, open},
		"ISO 8583:2003: advice received, liability taken": {failures.ISO8583of1993, "9001", open, open},
		"ISO 20022: settled, by its name":                 {failures.ISO20022, "AcceptedSettlementCompletedCreditorAccount", paid, paid},
		"ISO 20022: settlement under way, by its name":    {failures.ISO20022, "AcceptedSettlementInProcess", open, open},
		"ISO 20022: technically accepted, by its name":    {failures.ISO20022, "AcceptedTechnicalValidation", open, open},
		"ISO 20022: received, by its name":                {failures.ISO20022, "Received", open, open},
		"ISO 20022: rejected, by its name":                {failures.ISO20022, "Rejected", declined, declined},
	} {
		for d, want := range map[errcodes.Direction]failures.Answer{errcodes.Payin: c.payin, errcodes.Payout: c.payout} {
			if want == payinOnly {
				continue
			}
			asCode := failures.Input{Scheme: c.scheme, Direction: d, Code: c.text}
			asMessage := failures.Input{Scheme: c.scheme, Direction: d, Message: c.text}
			for field, in := range map[string]failures.Input{"code": asCode, "message": asMessage} {
				assertAnswer(t, n, in, want, name+" in the "+field+" of a "+string(d))
			}
		}
	}
}

// Codes with several causes, and codes that mean one thing in one list and another in the
// next: the message decides.
func TestTheMessageDecidesWhereBanksListsDiffer(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range map[string]struct {
		scheme        failures.Scheme
		code, message string
		payin, payout failures.Answer
	}{
		"NIP 01, status unknown": {failures.NIBSSNIP, "01", "Status unknown, please wait for settlement report",
			failures.AnswerPending, failures.AnswerPending},
		"NIP 01, vPay's invalid sender": {failures.NIBSSNIP, "01", "Invalid Sender",
			failures.Answer(errcodes.FailurePayinPayerInvalidAccount), failures.Answer(errcodes.ErrorConfiguration)},
		"NIP 10, vPay's invalid amount": {failures.NIBSSNIP, "10", "Invalid Amount",
			failures.Answer(errcodes.ErrorInvalidAmount), failures.Answer(errcodes.ErrorInvalidAmount)},
		"NIP 17, the channel": {failures.NIBSSNIP, "17", "Invalid Channel",
			failures.Answer(errcodes.ErrorConfiguration), failures.Answer(errcodes.ErrorConfiguration)},
		"NIP 17, eTranzact's invalid account": {failures.NIBSSNIP, "17", "Invalid Account",
			failures.Answer(errcodes.FailurePayinPayerInvalidAccount), failures.Answer(errcodes.FailurePayoutRecipientInvalidAccount)},
		"Flutterwave 00, approved": {failures.Flutterwave, "00", "Approved", failures.AnswerSuccess, failures.AnswerSuccess},
		"Flutterwave 00, but the payer has yet to confirm": {failures.Flutterwave, "00", "Success-Pending-otp-validation",
			failures.AnswerPending, failures.AnswerPending},
		"Paystack failed, no funds": {failures.Paystack, "failed", "Insufficient funds",
			failures.Answer(errcodes.FailurePayinInsufficientFunds), declined},
		"Paystack failed, wrong PIN": {failures.Paystack, "failed", "Incorrect PIN", failures.Answer(errcodes.FailureInvalidPIN), declined},
		"Paystack failed, no text":   {failures.Paystack, "failed", "", declined, declined},
		"Flutterwave failed, no funds": {failures.Flutterwave, "FAILED", "DISBURSE FAILED: Insufficient funds",
			failures.Answer(errcodes.FailurePayinInsufficientFunds), failures.Answer(errcodes.ErrorPayoutInsufficientFunds)},
		"Flutterwave failed, bank down": {failures.Flutterwave, "failed", "Issuer or Switch Inoperative",
			failures.Answer(errcodes.ErrorDownstream), failures.Answer(errcodes.ErrorDownstream)},
		"Flutterwave failed, no text": {failures.Flutterwave, "FAILED", "", declined, declined},
		"Interswitch Z1, expired card": {failures.Interswitch, "Z1", "Expired Card",
			failures.Answer(errcodes.FailureInvalidCard), payinOnly},
		"Interswitch Z1, bank down": {failures.Interswitch, "Z1", "Issuer or Switch Inoperative",
			failures.Answer(errcodes.ErrorDownstream), payinOnly},
	} {
		for d, want := range map[errcodes.Direction]failures.Answer{errcodes.Payin: c.payin, errcodes.Payout: c.payout} {
			if want == payinOnly {
				continue
			}
			in := failures.Input{Scheme: c.scheme, Direction: d, Code: c.code, Message: c.message}
			assertAnswer(t, n, in, want, name+" on a "+string(d))
		}
	}
}

// assertAnswer checks that a row has the wanted answer: a declined by fallback is not one.
func assertAnswer(t *testing.T, n *failures.Normaliser, in failures.Input, want failures.Answer, name string) {
	t.Helper()
	r, err := n.Normalise(in)
	require.NoError(t, err, name)
	got := failures.Answer(r.Code)
	if !r.Failure() {
		got = failures.Answer(r.Outcome)
	}
	assert.Equal(t, want, got, name)
	assert.NotEqual(t, failures.MatchFallback, r.MatchedBy, name)
}
