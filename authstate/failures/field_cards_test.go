package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// cardAnswer is a raw status, and what it means on a payin and on a payout. An empty text
// means that the table has no answer for the direction.
type cardAnswer struct{ raw, payin, payout string }

// What card processors and South African providers send about payments that have not
// failed, and the failures that stand in the same lists.
var cardAnswers = map[failures.Scheme]map[string]cardAnswer{
	failures.Stitch: {
		"money in the Stitch account":         {"PaymentReceived", "success", "success"},
		"completed, money not there yet":      {"PaymentPending", "pending", "pending"},
		"money not there after a week":        {"PaymentUnsettled", "timeout", ""},
		"request waits for the payer":         {"PaymentInitiationRequestPending", "pending", "pending"},
		"request completed":                   {"PaymentInitiationRequestCompleted", "success", "success"},
		"request completed by hand":           {"PaymentInitiationRequestManuallyCompleted", "pending", "pending"},
		"request cancelled":                   {"PaymentInitiationRequestCancelled", "declined", ""},
		"request expired":                     {"PaymentInitiationRequestExpired", "timeout", ""},
		"short name of a waiting transaction": {"PENDING", "pending", "pending"},
		"short name of a cleared transaction": {"SUCCESS", "success", "success"},
		"short name of a failed transaction":  {"FAILURE", "declined", ""},
		"consent granted, nothing charged":    {"GRANTED", "pending", "pending"},
		"consent waits for the payer":         {"PaymentConsentPending", "pending", "pending"},
		"consent in process":                  {"PaymentConsentProcessing", "pending", "pending"},
		"consent granted":                     {"PaymentConsentGranted", "pending", "pending"},
		"consent paused":                      {"PaymentConsentPaused", "pending", "pending"},
		"consent failed":                      {"PaymentConsentFailed", "declined", ""},
		"consent cancelled":                   {"PaymentConsentCancelled", "declined", ""},
		"consent expired":                     {"PaymentConsentExpired", "timeout", ""},
		"consent revoked":                     {"PaymentConsentRevoked", "customerRejected", ""},
		"attempt succeeded":                   {"PaymentSucceeded", "success", "success"},
		"attempt in authentication":           {"Secure3dInitiated", "pending", "pending"},
		"attempt authenticated":               {"Secure3dCompleted", "pending", "pending"},
		"attempt failed, request open":        {"PaymentFailed", "pending", "pending"},
		"attempt declined, request open":      {"PaymentDeclinedByBank", "pending", "pending"},
		"attempt short of money":              {"InsufficientFundsForPayment", "pending", "pending"},
		"attempt met an error":                {"BankError", "pending", "pending"},
		"attempt timed out":                   {"BankTimeout", "pending", "pending"},
		"settlement waits":                    {"SettlementPending", "pending", "pending"},
		"settlement sent to the bank":         {"SettlementSubmitted", "pending", "pending"},
		"settlement confirmed":                {"SettlementCompleted", "success", "success"},
		"settlement failed":                   {"SettlementFailed", "", "declined"},
	},
	failures.CheckoutCom: {
		"payment link open":                {"Active", "pending", "pending"},
		"requested":                        {"Requested", "pending", "pending"},
		"request accepted":                 {"Accepted", "pending", "pending"},
		"context created":                  {"Created", "pending", "pending"},
		"pending":                          {"Pending", "pending", "pending"},
		"authentication asked for":         {"Authentication Requested", "pending", "pending"},
		"authorised, no money has moved":   {"Authorized", "pending", "pending"},
		"approved by the payer":            {"Approved", "pending", "pending"},
		"declined, to be tried again":      {"Retry Scheduled", "pending", "pending"},
		"card checked":                     {"Card Verified", "pending", "pending"},
		"captured":                         {"Captured", "success", "success"},
		"captured in part":                 {"Partially Captured", "success", "success"},
		"payout paid":                      {"Paid", "success", "success"},
		"transfer completed":               {"completed", "success", "success"},
		"refunded":                         {"Refunded", "success", "success"},
		"refunded in part":                 {"Partially Refunded", "success", "success"},
		"declined":                         {"Declined", "declined", "declined"},
		"request rejected":                 {"Rejected", "declined", "declined"},
		"cancelled":                        {"Canceled", "declined", "declined"},
		"authorisation given back":         {"Voided", "declined", "declined"},
		"expired":                          {"Expired", "timeout", "timeout"},
		"payout came back":                 {"Returned", "declined", "declined"},
		"charged back":                     {"Chargeback", "customerRejected", ""},
		"page waits for its payment":       {"Payment Pending", "pending", "pending"},
		"page has its payment":             {"Payment Received", "success", "success"},
		"approved code":                    {"10000", "success", "success"},
		"authorised in part":               {"10010", "pending", "pending"},
		"capture deferred":                 {"10200", "pending", "pending"},
		"text of a part":                   {"Partial Value Approved", "pending", "pending"},
		"text of a deferred capture":       {"Deferred capture", "pending", "pending"},
		"text of a request in progress":    {"Request in progress", "pending", "pending"},
		"text of a pending transaction":    {"Transaction pending", "pending", "pending"},
		"event of an authorisation":        {"payment_approved", "pending", "pending"},
		"event of a pending payment":       {"payment_pending", "pending", "pending"},
		"event of a raised authorisation":  {"payment_authorization_incremented", "pending", "pending"},
		"event of one that was not raised": {"payment_authorization_increment_declined", "pending", "pending"},
		"event of a pending capture":       {"payment_capture_pending", "pending", "pending"},
		"event of a capture":               {"payment_captured", "success", "success"},
		"event of a declined capture":      {"payment_capture_declined", "pending", "pending"},
		"event of a declined payment":      {"payment_declined", "declined", "declined"},
		"event of a cancelled payment":     {"payment_canceled", "declined", "declined"},
		"event of a void":                  {"payment_voided", "declined", ""},
		"event of a void that failed":      {"payment_void_declined", "pending", "pending"},
		"event of an expired payment":      {"payment_expired", "timeout", ""},
		"event of a payout":                {"payment_paid", "success", "success"},
		"event of a return":                {"payment_returned", "declined", "declined"},
		"event of a refund":                {"payment_refunded", "success", "success"},
		"event of a pending refund":        {"payment_refund_pending", "success", "pending"},
		"event of a declined refund":       {"payment_refund_declined", "success", "declined"},
		"event of a chargeback":            {"payment_chargeback", "customerRejected", ""},
		"event of a checked card":          {"card_verified", "pending", "pending"},
		"event of a rejected card":         {"card_verification_declined", "declined", ""},
	},
	failures.Stripe: {
		"authorised, to be captured":     {"requires_capture", "pending", "pending"},
		"customer has yet to act":        {"requires_action", "pending", "pending"},
		"in process":                     {"processing", "pending", "pending"},
		"payout on its way":              {"in_transit", "pending", "pending"},
		"done":                           {"succeeded", "success", "success"},
		"paid":                           {"paid", "success", "success"},
		"session open":                   {"open", "pending", "pending"},
		"session complete, not yet paid": {"complete", "pending", "pending"},
		"session expired":                {"expired", "timeout", ""},
		"session unpaid":                 {"unpaid", "pending", "pending"},
		"nothing to pay":                 {"no_payment_required", "success", "success"},
		"outbound payment made":          {"posted", "success", "success"},
		"outbound payment came back":     {"returned", "", "declined"},
	},
	failures.Adyen: {
		"authorised":                       {"Authorised", "pending", "pending"},
		"authorised in part":               {"PartiallyAuthorised", "pending", "pending"},
		"no refusal reason":                {"0", "pending", "pending"},
		"reason of what is not refused":    {"approved", "pending", "pending"},
		"received":                         {"Received", "pending", "pending"},
		"order made":                       {"Success", "pending", "pending"},
		"session open":                     {"active", "pending", "pending"},
		"session about to pay":             {"paymentPending", "pending", "pending"},
		"session completed":                {"completed", "pending", "pending"},
		"session cancelled":                {"canceled", "customerRejected", ""},
		"session expired":                  {"expired", "timeout", "timeout"},
		"link paid":                        {"paid", "success", "success"},
		"gift card short of money":         {"NotEnoughBalance", "payinInsufficientFunds", "payoutInsufficientFunds"},
		"capture asked for":                {"[capture-received]", "pending", "pending"},
		"payout asked for":                 {"payout-submit-received", "pending", "pending"},
		"event of an authorisation":        {"AUTHORISATION", "pending", "pending"},
		"event of a capture's result":      {"CAPTURE", "pending", "pending"},
		"captured":                         {"CAPTURED", "success", "success"},
		"event of a failed capture":        {"CAPTURE_FAILED", "declined", ""},
		"event of a cancellation":          {"CANCELLATION", "pending", "pending"},
		"event of an uncaptured rest":      {"EXPIRE", "timeout", ""},
		"event of a closed offer":          {"OFFER_CLOSED", "timeout", ""},
		"event of an accepted review":      {"MANUAL_REVIEW_ACCEPT", "pending", "pending"},
		"event of a rejected review":       {"MANUAL_REVIEW_REJECT", "fraudBlocked", ""},
		"event of a refund":                {"REFUND", "success", "pending"},
		"event of a failed refund":         {"REFUND_FAILED", "success", "declined"},
		"event of a payout":                {"PAYOUT_THIRDPARTY", "pending", "pending"},
		"event of a declined payout":       {"PAYOUT_DECLINE", "", "declined"},
		"event of an expired payout":       {"PAYOUT_EXPIRE", "", "timeout"},
		"event of a payout that came back": {"PAIDOUT_REVERSED", "", "declined"},
		"payout taken in":                  {"accepted", "pending", "pending"},
		"payout credited":                  {"credited", "success", "success"},
		"transfer waits for approval":      {"approvalPending", "pending", "pending"},
		"transfer to be captured":          {"capturePending", "pending", "pending"},
		"transfer refunded":                {"refunded", "success", "success"},
		"transfer forbidden":               {"refusedForRegulatoryReasons", "", "screeningRejected"},
		"transfer rejected":                {"rejected", "", "declined"},
		"transfer reversed":                {"reversed", "", "declined"},
	},
	failures.OPPWA: {
		"text of a payment":               {"Transaction succeeded", "success", "success"},
		"text of a payment in test mode":  {"Request successfully processed in 'Merchant in Integrator Test Mode'", "success", "success"},
		"text of a reviewed payment":      {"Transaction succeeded (please review manually due to fraud suspicion)", "success", "success"},
		"text of a pending payment":       {"transaction pending", "pending", "pending"},
		"text of a checkout":              {"successfully created checkout", "pending", "pending"},
		"text of a non-instant payment":   {"Waiting for confirmation of non-instant payment. Denied for now.", "pending", "pending"},
		"being processed already":         {"800.600.100", "pending", "pending"},
		"text of being processed already": {"transaction is being already processed", "pending", "pending"},
		"payment being processed already": {"800.120.402", "pending", "pending"},
		"same session being processed":    {"800.700.100", "pendingTransactionConflict", "pendingTransactionConflict"},
		"Peach's checkout begun":          {"created", "pending", "pending"},
		"Peach's link made":               {"initiated", "pending", "pending"},
		"Peach's link opened":             {"opened", "pending", "pending"},
		"Peach's link in process":         {"processing", "pending", "pending"},
		"Peach's checkout pending":        {"pending", "pending", "pending"},
		"Peach's link completed":          {"completed", "success", "success"},
		"Peach's checkout successful":     {"successful", "success", "success"},
		"Peach's link cancelled":          {"cancelled", "declined", ""},
		"Peach's link expired":            {"expired", "timeout", ""},
		"Peach's checkout uncertain":      {"uncertain", "pending", "pending"},
	},
	failures.Ozow: {
		"payout done":         {"5", "pending", "success"},
		"payment done":        {"Complete", "success", "success"},
		"under investigation": {"PendingInvestigation", "pending", "pending"},
		"refunded":            {"Refunded", "success", "success"},
		"expired":             {"Expired", "timeout", ""},
	},
	failures.Tingg: {
		"charge logged":         {"1", "pending", "pending"},
		"text of a charge":      {"Transaction was saved successfully.", "pending", "pending"},
		"payout's login":        {"131", "pending", "pending"},
		"payout taken in":       {"139", "pending", "pending"},
		"checkout logged":       {"200", "pending", "pending"},
		"paid":                  {"178", "success", "pending"},
		"expired":               {"129", "timeout", ""},
		"refund begun":          {"185", "success", "success"},
		"rejected by merchant":  {"180", "declined", "declined"},
		"expired, paid in part": {"179", "timeout", ""},
	},
}

// TestCardProcessorsStatuses looks up each status as the code, and as the message of an
// answer without a code.
func TestCardProcessorsStatuses(t *testing.T) {
	n := normaliser(t, nil)
	for scheme, answers := range cardAnswers {
		for name, a := range answers {
			t.Run(string(scheme)+" "+name, func(t *testing.T) {
				for direction, want := range map[errcodes.Direction]string{errcodes.Payin: a.payin, errcodes.Payout: a.payout} {
					in := failures.Input{Scheme: scheme, Direction: direction, Code: a.raw}
					assert.Equal(t, want, answerOf(t, n, in), "%s as the code", direction)
					in.Code, in.Message = "", a.raw
					assert.Equal(t, want, answerOf(t, n, in), "%s as the message", direction)
				}
			})
		}
	}
}

// answerOf returns success, pending or the code of a failure, as the tables write them,
// and "" if the input is in no table.
func answerOf(t *testing.T, n *failures.Normaliser, in failures.Input) string {
	t.Helper()
	r, err := n.Normalise(in)
	require.NoError(t, err)
	switch {
	case r.MatchedBy == failures.MatchFallback:
		return ""
	case r.Failure():
		return string(r.Code)
	default:
		return string(r.Outcome)
	}
}
