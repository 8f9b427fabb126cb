package failures_test

import (
	"testing"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// failureTexts contains texts that providers print beside their codes. A relay may pass on
// the text alone. An empty direction means both.
var failureTexts = map[string]struct {
	scheme    failures.Scheme
	direction errcodes.Direction
	text      string
	outcome   failures.Outcome
	want      errcodes.TransactionCode
}{
	"Airtel: the payer's PIN is wrong":                    {failures.AirtelMoney, errcodes.Payin, "Incorrect Pin", failures.Failed, errcodes.FailureInvalidPIN},
	"Airtel: the payer's PIN is wrong, in a sentence":     {failures.AirtelMoney, errcodes.Payin, "Incorrect pin has been entered.", failures.Failed, errcodes.FailureInvalidPIN},
	"Airtel: a right PIN is not a payment":                {failures.AirtelMoney, "", "Valid pin", failures.Pending, ""},
	"Airtel: the payer did not enter the PIN":             {failures.AirtelMoney, errcodes.Payin, "User didn't enter the pin.", failures.Failed, errcodes.FailureTimeout},
	"Airtel: the payer is short of money":                 {failures.AirtelMoney, errcodes.Payin, "Not enough balance", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Airtel: the float is short of money":                 {failures.AirtelMoney, errcodes.Payout, "Insufficient Funds", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"Airtel: a limit of the payer":                        {failures.AirtelMoney, errcodes.Payin, "Exceeds withdrawal amount limit(s)", failures.Failed, errcodes.FailurePayinPayerLimitExceeded},
	"Airtel: a collection under the minimum":              {failures.AirtelMoney, errcodes.Payin, "Invalid Amount", failures.Errored, errcodes.ErrorAmountTooSmall},
	"Airtel: a disbursement outside the limits":           {failures.AirtelMoney, errcodes.Payout, "Invalid Amount", failures.Errored, errcodes.ErrorValidation},
	"Airtel: refused":                                     {failures.AirtelMoney, "", "Refused", failures.Failed, errcodes.FailureDeclined},
	"Airtel: do not honour":                               {failures.AirtelMoney, errcodes.Payin, "Do not honor", failures.Failed, errcodes.FailureDeclined},
	"Airtel: the transaction is unknown":                  {failures.AirtelMoney, "", "Transaction Not Found", failures.Failed, errcodes.FailureTransactionNotFound},
	"Airtel: the signature is wrong":                      {failures.AirtelMoney, "", "Forbidden: X-signature and payload did not match.", failures.Errored, errcodes.ErrorConfiguration},
	"Airtel: the receiver is unknown":                     {failures.AirtelMoney, errcodes.Payout, "Initiatee of the transaction is invalid.", failures.Failed, errcodes.FailurePayoutRecipientInvalidAccount},
	"Airtel: a disbursement may be done or failed":        {failures.AirtelMoney, "", "The transaction may be processed or failed due to time out. To know the exact status please do the transaction enquiry.", failures.Pending, ""},
	"Airtel: an id used again may be of a payment":        {failures.AirtelMoney, "", "External Transaction ID already exists.", failures.Pending, ""},
	"Airtel: the gateway does not know":                   {failures.AirtelMoney, "", "Something went wrong", failures.Pending, ""},
	"Airtel: the number has a wrong length":               {failures.AirtelMoney, "", "Invalid MSISDN Length. MSISDN Length should be 9 and should start with 0", failures.Failed, errcodes.FailureInvalidData},
	"Checkout.com: do not honour":                         {failures.CheckoutCom, "", "Declined - Do Not Honour", failures.Failed, errcodes.FailureDeclined},
	"Checkout.com: the payer is short of money":           {failures.CheckoutCom, errcodes.Payin, "Insufficient Funds", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Checkout.com: the balance is too low":                {failures.CheckoutCom, errcodes.Payout, "Insufficient funds", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"Checkout.com: the card number is wrong":              {failures.CheckoutCom, errcodes.Payin, "Invalid account number (no such number)", failures.Failed, errcodes.FailureInvalidCard},
	"Checkout.com: the card has expired":                  {failures.CheckoutCom, errcodes.Payin, "Expired card", failures.Failed, errcodes.FailureInvalidCard},
	"Checkout.com: the customer cancelled":                {failures.CheckoutCom, errcodes.Payin, "Customer cancellation", failures.Failed, errcodes.FailureCustomerRejected},
	"Checkout.com: suspected fraud":                       {failures.CheckoutCom, "", "Suspected fraud", failures.Failed, errcodes.FailureFraudBlocked},
	"Checkout.com: a stolen card":                         {failures.CheckoutCom, "", "Stolen card - Pick up", failures.Failed, errcodes.FailureFraudBlocked},
	"Checkout.com: a decline list":                        {failures.CheckoutCom, errcodes.Payin, "Decline list - BIN", failures.Failed, errcodes.FailureFraudBlocked},
	"Checkout.com: a named risk rule":                     {failures.CheckoutCom, errcodes.Payin, "Risk blocked transaction – High amounts", failures.Failed, errcodes.FailureFraudBlocked},
	"Checkout.com: 3-D Secure is required":                {failures.CheckoutCom, errcodes.Payin, "3DS authentication required", failures.Failed, errcodes.Failure3DSNotCompleted},
	"Checkout.com: too late":                              {failures.CheckoutCom, "", "Response received too late / Timeout", failures.Failed, errcodes.FailureTimeout},
	"Checkout.com: the receiving account is unknown":      {failures.CheckoutCom, errcodes.Payout, "Account not found", failures.Failed, errcodes.FailurePayoutRecipientInvalidAccount},
	"Checkout.com: the receiving account is blocked":      {failures.CheckoutCom, errcodes.Payout, "Account blocked", failures.Failed, errcodes.FailureAccountNotActive},
	"Checkout.com: approved is not captured":              {failures.CheckoutCom, "", "Approved (Local Banks)", failures.Pending, ""},
	"Checkout.com: a completed authorisation may be good": {failures.CheckoutCom, "", "Authorization completed", failures.Pending, ""},
	"Checkout.com: the mandate waits":                     {failures.CheckoutCom, "", "Mandate approval pending", failures.Pending, ""},
	"Hubtel: the processor failed":                        {failures.Hubtel, "", "Transaction failed due to an error with the Payment Processor. Please review your request or retry in a few minutes", failures.Failed, errcodes.FailureDeclined},
	"Hubtel: the MTN payer is short of money":             {failures.Hubtel, errcodes.Payin, "The MTN Mobile Money user has insufficient funds in wallet to make this payment.", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Hubtel: the payer is short of money":                 {failures.Hubtel, errcodes.Payin, "Insufficient funds", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Hubtel: three causes in one text":                    {failures.Hubtel, "", "The MTN Mobile Money user has reached counter or balance limits, has insufficient funds or is missing permissions.", failures.Failed, errcodes.FailureDeclined},
	"Hubtel: the payer's PIN is wrong":                    {failures.Hubtel, errcodes.Payin, "You entered the wrong PIN. Please try again", failures.Failed, errcodes.FailureInvalidPIN},
	"Hubtel: the receiver has no wallet":                  {failures.Hubtel, errcodes.Payout, "Mobile Number is not registered for Mobile Payment.", failures.Failed, errcodes.FailurePayoutRecipientInvalidAccount},
	"Hubtel: one text of two codes":                       {failures.Hubtel, "", "The customer specified is not registered on Vodafone Cash.", failures.Failed, errcodes.FailureDeclined},
	"Hubtel: the request is not valid":                    {failures.Hubtel, "", "Validation errors. Something is not quite right with this request.", failures.Errored, errcodes.ErrorValidation},
	"Hubtel: no fees are set":                             {failures.Hubtel, errcodes.Payin, "We're unable to complete this payment at the moment. Please try again later. Fees not set for given conditions.", failures.Errored, errcodes.ErrorConfiguration},
	"Hubtel: the prepaid balance is too low":              {failures.Hubtel, errcodes.Payout, "Insufficient prepaid balance.", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"Hubtel: the channel is not allowed to take payments": {failures.Hubtel, errcodes.Payin, "Permission denied. Sorry, your account is not allowed to transact on this channel", failures.Errored, errcodes.ErrorPayinsNotAllowed},
	"Hubtel: a payout request was taken":                  {failures.Hubtel, "", "Your request has been accepted. We will notify you when the transaction is completed.", failures.Pending, ""},
	"Hubtel: a payout was made":                           {failures.Hubtel, "", "Vodafone cash payment has been made successfully", failures.Success, ""},
	"Hubtel: an internal error is open":                   {failures.Hubtel, "", "Something went wrong while processing this request.", failures.Pending, ""},
	"MTN: the payer is short of money":                    {failures.MTNMoMo, errcodes.Payin, "Not enough funds on payer account", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"MTN: the float is short of money":                    {failures.MTNMoMo, errcodes.Payout, "Not enough funds on payer account", failures.Errored, errcodes.ErrorPayoutInsufficientFunds},
	"MTN: the payer is not registered":                    {failures.MTNMoMo, errcodes.Payin, "Payer not found. Account holder is not registered.", failures.Failed, errcodes.FailurePayinPayerInvalidAccount},
	"MTN: the receiver is not registered":                 {failures.MTNMoMo, errcodes.Payout, "The MSISDN being paid to is invalid.", failures.Failed, errcodes.FailurePayoutRecipientInvalidAccount},
	"MTN: the partner lacks the permission":               {failures.MTNMoMo, errcodes.Payin, "Authorization failed. User does not have permission.", failures.Errored, errcodes.ErrorPayinsNotAllowed},
	"MTN: the environment is wrong":                       {failures.MTNMoMo, "", "Access to target environment is forbidden.", failures.Errored, errcodes.ErrorConfiguration},
	"MTN: the currency is not supported":                  {failures.MTNMoMo, "", "Currency not supported.", failures.Errored, errcodes.ErrorInvalidCurrency},
	"MTN: an internal error":                              {failures.MTNMoMo, "", "An internal error occurred while processing.", failures.Errored, errcodes.ErrorDownstream},
	"MTN: the reference is unknown":                       {failures.MTNMoMo, "", "Requested resource was not found.", failures.Failed, errcodes.FailureTransactionNotFound},
	"MTN: the reference was used before":                  {failures.MTNMoMo, "", "Duplicated reference id. Creation of resource failed.", failures.Pending, ""},
	"Daraja: a status query was taken, with three s":      {failures.MpesaDaraja, "", "The service request has been accepted successsfully", failures.Pending, ""},
	"Daraja: the payer cancelled, as older callbacks say": {failures.MpesaDaraja, errcodes.Payin, "[STK_CB - ]Request cancelled by user", failures.Failed, errcodes.FailureCustomerRejected},
	"Daraja: the phone was not reached":                   {failures.MpesaDaraja, errcodes.Payin, "[STK_CB - ]DS timeout.", failures.Failed, errcodes.FailureTimeout},
	"Daraja: the text message was not acknowledged":       {failures.MpesaDaraja, errcodes.Payin, "SMSC ACK timeout.", failures.Failed, errcodes.FailureTimeout},
	"Daraja: the payer is short of money":                 {failures.MpesaDaraja, errcodes.Payin, "[MpesaCB - ]The balance is insufficient for the transaction.", failures.Failed, errcodes.FailurePayinInsufficientFunds},
	"Daraja: the payer's PIN is wrong":                    {failures.MpesaDaraja, errcodes.Payin, "[MpesaCB - ]The initiator information is invalid.", failures.Failed, errcodes.FailureInvalidPIN},
	"Daraja: the payer's daily limit":                     {failures.MpesaDaraja, errcodes.Payin, "[MpesaCB - ]Declined due to limit rule: would exceed the daily transfer limit.", failures.Failed, errcodes.FailurePayinPayerLimitExceeded},
}

func TestATextAloneHasTheAnswerOfItsCode(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range failureTexts {
		t.Run(name, func(t *testing.T) {
			directions := []errcodes.Direction{c.direction}
			if c.direction == "" {
				directions = []errcodes.Direction{errcodes.Payin, errcodes.Payout}
			}
			for _, d := range directions {
				assertMobileAnswer(t, n, failures.Input{Scheme: c.scheme, Direction: d, Message: c.text}, c.outcome, c.want)
				assertMobileAnswer(t, n, failures.Input{Scheme: c.scheme, Direction: d, Code: c.text}, c.outcome, c.want)
			}
		})
	}
}

// With a code that has several causes, a text that names more than one of them must not be
// read as one of them.
func TestHubtelsTextOfThreeCausesIsNoneOfThem(t *testing.T) {
	n := normaliser(t, nil)
	text := "The MTN Mobile Money user has reached counter or balance limits, has insufficient funds or is missing permissions."
	for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
		in := failures.Input{Scheme: failures.Hubtel, Direction: d, Code: "2001", Message: text}
		assertMobileAnswer(t, n, in, failures.Failed, errcodes.FailureDeclined)
	}
}
