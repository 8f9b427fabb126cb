package failures_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/authstate/failures"
)

// What a provider says in words must not be turned into its opposite: money that is on its
// way or has arrived is not a failure, and a request that was taken is not a payment.
var (
	openOrPaid = regexp.MustCompile(`\b(in progress|in process|in work|still open|(being|still|under) process(ed|ing)|created|queued|pending|` +
		`submitted|initiated|awaiting|waits|taken in|refunded|paid|captured|settled|completed)\b`)
	noMoney   = regexp.MustCompile(`no money moved|no payment stands`)
	onlyTaken = regexp.MustCompile(`\b(accepted|acknowledged?|authori[sz]ed|request (taken|answered|received)|taken in)\b`)
)

// exceptions are the rows that contain such words and say something else.
var exceptions = []struct{ words, reason string }{
	{`(not|cannot be|could not be|couldn't be|unable to be|before it was|without a) (been )?(paid|captured|completed|submitted|settled|refunded)`, "it did not happen"},
	{`not yet (paid|completed)|was not captured|not submitted|may not be refunded|refund over paid|after too many days`, "it did not happen"},
	{`pending [a-z ]*timed out`, "it is over"},
	{`cut ?-?o(ff|ver)`, "the switch closed its day and rejected the attempt"},
	{`in part|partly|partially|paid too little|incorrect amount`, "the documents do not count a part of the amount as paid"},
	{`merchant-initiated|issuer initiated`, "who began it"},
	{`card should be captured`, "the card, not the money"},
	{`msisdn being paid to`, "the number of the receiver"},
	{`initiated for churn`, "the account, not the payment"},
	{`already (refunded|completed)|refunded before|(already|was) paid( before)?$|already paid for`, "another request for what was done: this one was rejected"},
	{`another (payment|refund)|earlier prompt|for the current subscriber|same session|network token|referenced transaction`, "another payment is open, and this one was rejected"},
	{`awaiting activation`, "the account, not the payment"},
	{`cancelled a queued|cancelled before`, "it was cancelled"},
	{`refund came back|refunded reversed`, "the recipient did not get it"},
	{`paid and accepted|accepted by hand`, "accepted by the merchant or an operator after it was paid"},
	{`(less|more) than was authorised|settled|settlement completed`, "the capture or settlement is done"},
	{`wish for no challenge`, "an authentication, not a payment"},
}

// spoken returns the words of a row: PaymentPending and PAYMENT_PENDING are payment pending.
func spoken(r *failures.Row) string {
	code := regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(r.Code, "$1 $2")
	code = strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(code)
	return strings.ToLower(code + " | " + r.Message + " | " + r.Meaning)
}

func TestNoRowSaysTheOppositeOfItsSource(t *testing.T) {
	except := make([]*regexp.Regexp, len(exceptions))
	used := make([]bool, len(exceptions))
	for i, e := range exceptions {
		except[i] = regexp.MustCompile(e.words)
	}
	excused := func(text string) bool {
		found := false
		for i, pattern := range except {
			if pattern.MatchString(text) {
				found, used[i] = true, true
			}
		}
		return found
	}
	for _, scheme := range failures.Schemes() {
		for _, r := range failures.Rows(scheme) {
			text := spoken(&r)
			failed := r.Payin != "" && !noFailure(r.Payin) || r.Payout != "" && !noFailure(r.Payout)
			if failed && openOrPaid.MatchString(text) && !excused(text) {
				t.Errorf("%s %q is a failure, and says %q", scheme, r.Code, text)
			}
			paid := r.Payin == failures.AnswerSuccess || r.Payout == failures.AnswerSuccess
			if paid && (onlyTaken.MatchString(text) && !excused(text) || noMoney.MatchString(r.Note)) {
				t.Errorf("%s %q is a success, and says %q", scheme, r.Code, text+" | "+r.Note)
			}
		}
	}
	for i, e := range exceptions {
		assert.True(t, used[i], "no row needs the exception %q", e.words)
	}
}
