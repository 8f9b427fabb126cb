package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// mobileAnswers contains answers of mobile money operators and aggregators. An empty
// direction means both. A text without a code is also looked up as the code.
var mobileAnswers = map[string]struct {
	scheme        failures.Scheme
	direction     errcodes.Direction
	code, message string
	outcome       failures.Outcome
	want          errcodes.TransactionCode
}{
	"Daraja: a prompt is still open":                     {failures.MpesaDaraja, "", "", "The transaction is being processed", failures.Pending, ""},
	"Daraja: a prompt is still open, with its code":      {failures.MpesaDaraja, "", "500.001.1001", "The transaction is being processed", failures.Pending, ""},
	"Daraja: a payment is still in work":                 {failures.MpesaDaraja, "", "", "The transaction is still under processing", failures.Pending, ""},
	"Daraja: an express request was taken":               {failures.MpesaDaraja, "", "", "Success. Request accepted for processing", failures.Pending, ""},
	"Daraja: an express request was taken, with its 0":   {failures.MpesaDaraja, "", "0", "Success. Request accepted for processing", failures.Pending, ""},
	"Daraja: a payout request was taken":                 {failures.MpesaDaraja, "", "", "Accept the service request successfully.", failures.Pending, ""},
	"Daraja: a payout request was taken, with its 0":     {failures.MpesaDaraja, "", "0", "Accept the service request successfully.", failures.Pending, ""},
	"Daraja: a status query was taken":                   {failures.MpesaDaraja, "", "", "The service request has been accepted successfully", failures.Pending, ""},
	"Daraja: a status query was taken, with its 0":       {failures.MpesaDaraja, "", "0", "The service request has been accepted successfully", failures.Pending, ""},
	"Daraja: a till is prompted":                         {failures.MpesaDaraja, "", "0", "USSD Initiated Successfully", failures.Pending, ""},
	"Daraja: ResponseCode 0 beside an open payment":      {failures.MpesaDaraja, "", "0", "The transaction is still under processing", failures.Pending, ""},
	"Daraja: a bare Success may be about the request":    {failures.MpesaDaraja, "", "", "Success", failures.Pending, ""},
	"Daraja: a payment was made":                         {failures.MpesaDaraja, "", "", "The service request is processed successfully.", failures.Success, ""},
	"Daraja: a payment was made, with its 0":             {failures.MpesaDaraja, "", "0", "The service request is processed successfully.", failures.Success, ""},
	"Daraja: a looked-up transaction has begun":          {failures.MpesaDaraja, "", "Initiated", "", failures.Pending, ""},
	"Daraja: a looked-up transaction waits":              {failures.MpesaDaraja, "", "Authorized", "", failures.Pending, ""},
	"Daraja: a looked-up transaction waits for approval": {failures.MpesaDaraja, "", "Pending Authorized", "", failures.Pending, ""},
	"Daraja: a looked-up transaction is done":            {failures.MpesaDaraja, "", "Completed", "", failures.Success, ""},
	"Daraja: a looked-up transaction expired":            {failures.MpesaDaraja, "", "Expired", "", failures.Failed, errcodes.FailureTimeout},
	"Daraja: the payer cancelled, without the code":      {failures.MpesaDaraja, errcodes.Payin, "", "Request cancelled by user", failures.Failed, errcodes.FailureCustomerRejected},
	"Daraja: the payer is short of money":                {failures.MpesaDaraja, errcodes.Payin, "", "The balance is insufficient for the transaction.", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Daraja: the float is short of money":                {failures.MpesaDaraja, errcodes.Payout, "", "The balance is insufficient for the transaction.", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"Daraja: the payer's PIN is wrong":                   {failures.MpesaDaraja, errcodes.Payin, "", "The initiator information is invalid.", failures.Failed, errcodes.FailureInvalidPIN},
	"Daraja: the operator's credential is wrong":         {failures.MpesaDaraja, errcodes.Payout, "", "The initiator information is invalid.", failures.Errored, errcodes.ErrorConfiguration},

	"M-Pesa OpenAPI: a looked-up transaction is done":    {failures.MpesaOpenAPI, "", "Completed", "", failures.Success, ""},
	"M-Pesa OpenAPI: a looked-up transaction is open":    {failures.MpesaOpenAPI, "", "Pending", "", failures.Pending, ""},
	"M-Pesa OpenAPI: a looked-up transaction is unknown": {failures.MpesaOpenAPI, "", "N/A", "", failures.Pending, ""},
	"M-Pesa OpenAPI: a looked-up transaction expired":    {failures.MpesaOpenAPI, "", "Expired", "", failures.Failed, errcodes.FailureTimeout},
	"M-Pesa OpenAPI: a text about the request":           {failures.MpesaOpenAPI, "", "", "Request processed successfully", failures.Pending, ""},

	"MTN: still waiting for the payer":    {failures.MTNMoMo, "", "PAYER_ONGOING", "", failures.Pending, ""},
	"MTN: no funds, as on its newer page": {failures.MTNMoMo, errcodes.Payin, "NOT ENOUGH_FUNDS", "", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"MTN: the payer's text of no funds":   {failures.MTNMoMo, errcodes.Payin, "", "The payer does not have enough funds.", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"MTN: the float's text of no funds":   {failures.MTNMoMo, errcodes.Payout, "", "The payer does not have enough funds.", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"MTN: the text of an unknown payer":   {failures.MTNMoMo, errcodes.Payin, "", "Payer does not exist", failures.Failed, errcodes.FailurePayinPayerInvalidAccount},
	"MTN: the text of a blocked receiver": {failures.MTNMoMo, errcodes.Payout, "", "The payee is unable to receive funds.", failures.Failed, errcodes.FailureAccountNotActive},

	"Airtel: in progress":                      {failures.AirtelMoney, "", "TI", "", failures.Pending, ""},
	"Airtel: in progress, in full":             {failures.AirtelMoney, "", "", "Transaction in Progress", failures.Pending, ""},
	"Airtel: pending":                          {failures.AirtelMoney, "", "", "Transaction in pending state. Please check after sometime.", failures.Pending, ""},
	"Airtel: ambiguous":                        {failures.AirtelMoney, "", "", "Transaction Ambiguous", failures.Pending, ""},
	"Airtel: ambiguous, in a sentence":         {failures.AirtelMoney, "", "", "The transaction is still processing and is in ambiguous state. Please do the transaction enquiry.", failures.Pending, ""},
	"Airtel: expired":                          {failures.AirtelMoney, "", "TE", "", failures.Failed, errcodes.FailureTimeout},
	"Airtel: expired, in full":                 {failures.AirtelMoney, "", "", "Transaction Expired", failures.Failed, errcodes.FailureTimeout},
	"Airtel: a collection timed out":           {failures.AirtelMoney, errcodes.Payin, "", "Transaction Timed Out", failures.Failed, errcodes.FailureTimeout},
	"Airtel: a disbursement timed out":         {failures.AirtelMoney, errcodes.Payout, "", "Transaction Timed Out", failures.Pending, ""},
	"Airtel: the connection was lost":          {failures.AirtelMoney, "", "CONNECTION_TIMEOUT", "I/O Exception", failures.Pending, ""},
	"Airtel: paid, in full":                    {failures.AirtelMoney, "", "", "Transaction Success", failures.Success, ""},
	"Airtel: paid, in a sentence":              {failures.AirtelMoney, "", "", "Transaction is successful.", failures.Success, ""},
	"Airtel: paid, with amount and receipt":    {failures.AirtelMoney, "", "", "Paid UGX 5,000 to TECHNOLOGIES LIMITED Charge UGX 140, Trans ID MP210603.1234.L06941.", failures.Success, ""},
	"Airtel: the request was taken":            {failures.AirtelMoney, "", "SUCCESS", "", failures.Pending, ""},
	"Airtel: the request was taken, in full":   {failures.AirtelMoney, "", "", "Success.", failures.Pending, ""},
	"Airtel: the request was passed on":        {failures.AirtelMoney, "", "", "Your transaction has been successfully processed", failures.Pending, ""},
	"Airtel: a payout request was passed on":   {failures.AirtelMoney, "", "", "Your Request is submitted Successfully.", failures.Pending, ""},
	"Airtel: the code of success has its text": {failures.AirtelMoney, "", "DP00800001001", "SUCCESS", failures.Success, ""},

	"Hubtel: paid":         {failures.Hubtel, "", "Paid", "", failures.Success, ""},
	"Hubtel: not paid yet": {failures.Hubtel, "", "Unpaid", "", failures.Pending, ""},
	"Hubtel: not paid yet, beside the check's 0000": {failures.Hubtel, "", "0000", "Unpaid", failures.Pending, ""},
	"Hubtel: refunded":                       {failures.Hubtel, "", "Refunded", "", failures.Success, ""},
	"Hubtel: held":                           {failures.Hubtel, "", "Locked", "", failures.Pending, ""},
	"Hubtel: the check worked":               {failures.Hubtel, "", "", "Successful", failures.Pending, ""},
	"Hubtel: the request was taken":          {failures.Hubtel, "", "", "Transaction pending. Expect callback request for final state", failures.Pending, ""},
	"Hubtel: a callback follows":             {failures.Hubtel, "", "", "Request has been accepted. A callback will be sent on final state", failures.Pending, ""},
	"Hubtel: processed":                      {failures.Hubtel, "", "", "The transaction has been processed successfully.", failures.Success, ""},
	"Hubtel: an operator approved":           {failures.Hubtel, "", "", "The Vodafone Cash payment has been approved and processed successfully", failures.Success, ""},
	"Hubtel: the payer is short of money":    {failures.Hubtel, errcodes.Payin, "2001", "Insufficient funds", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Hubtel: the float is short of money":    {failures.Hubtel, errcodes.Payout, "2001", "insufficient funds", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"Hubtel: a limit of the payer":           {failures.Hubtel, errcodes.Payin, "2001", "MTN Mobile Money user has reached counter or balance limits", failures.Failed, errcodes.FailurePayinPayerLimitExceeded},
	"Hubtel: a wrong PIN":                    {failures.Hubtel, errcodes.Payin, "2001", "Wrong PIN entered", failures.Failed, errcodes.FailureInvalidPIN},
	"Hubtel: no PIN or a wrong one":          {failures.Hubtel, errcodes.Payin, "2001", "Customer entered no or invalid PIN", failures.Failed, errcodes.FailureDeclined},
	"Hubtel: the session ran out":            {failures.Hubtel, errcodes.Payin, "2001", "USSD session timeout", failures.Failed, errcodes.FailureTimeout},
	"Hubtel: the payer is not registered":    {failures.Hubtel, errcodes.Payin, "2001", "MTN exception: AccountHolder with FRI not found", failures.Failed, errcodes.FailurePayinPayerInvalidAccount},
	"Hubtel: the receiver is not registered": {failures.Hubtel, errcodes.Payout, "2001", "MTN exception: Account holder with FRN not found", failures.Failed, errcodes.FailurePayoutRecipientInvalidAccount},
	"Hubtel: 2001 without a cause":           {failures.Hubtel, "", "2001", "failed", failures.Failed, errcodes.FailureDeclined},

	"pawaPay: in reconciliation, as its dashboard writes it": {failures.PawaPay, "", "In reconciliation", "", failures.Pending, ""},

	"Yellow Card: a collection is in process": {failures.YellowCard, "", "COLLECTION.PROCESSING", "", failures.Pending, ""},
	"Yellow Card: a payout waits":             {failures.YellowCard, "", "PAYMENT.PENDING_APPROVAL", "", failures.Pending, ""},
	"Yellow Card: a collection is done":       {failures.YellowCard, "", "COLLECTION.COMPLETE", "", failures.Success, ""},
	"Yellow Card: a payout is done":           {failures.YellowCard, "", "PAYMENT.COMPLETE", "", failures.Success, ""},
}

func TestMobileMoneyAnswersHaveTheOutcomeOfTheirDocuments(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range mobileAnswers {
		t.Run(name, func(t *testing.T) {
			directions := []errcodes.Direction{c.direction}
			if c.direction == "" {
				directions = []errcodes.Direction{errcodes.Payin, errcodes.Payout}
			}
			for _, d := range directions {
				in := failures.Input{Scheme: c.scheme, Direction: d, Code: c.code, Message: c.message}
				assertMobileAnswer(t, n, in, c.outcome, c.want)
				if c.code == "" {
					in.Code, in.Message = in.Message, ""
					assertMobileAnswer(t, n, in, c.outcome, c.want)
				}
			}
		})
	}
}

func assertMobileAnswer(t *testing.T, n *failures.Normaliser, in failures.Input, outcome failures.Outcome, code errcodes.TransactionCode) {
	t.Helper()
	r, err := n.Normalise(in)
	require.NoError(t, err)
	assert.NotEqual(t, failures.MatchFallback, r.MatchedBy, in.Direction)
	assert.Equal(t, outcome, r.Outcome, in.Direction)
	assert.Equal(t, code, r.Code, in.Direction)
}
