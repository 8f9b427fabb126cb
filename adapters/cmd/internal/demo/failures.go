package demo

import (
	"time"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	demoWrongPIN  = "demo-wrong-pin"
	demoNoAnswer  = "demo-no-answer"
	demoRespondIn = time.Minute
)

func (s *story) openPayment(id string, d errcodes.Direction, respondBy time.Time) {
	_, err := s.payments.Open(s.ctx, shop, authstate.Opening{ID: id, Direction: d, RespondBy: respondBy})
	s.must(err)
}

func (s *story) reported(id, code, message string) authstate.Applied {
	done, err := s.payments.Record(s.ctx, shop, id, authstate.Report{Scheme: failures.MpesaDaraja, Code: code, Message: message})
	s.must(err)
	return done
}

// wrongPIN shows one raw code with two meanings.
func (s *story) wrongPIN() {
	const code, message = "2001", "The initiator information is invalid."
	s.printf("\nM-Pesa sends %s: %s What it means depends on the direction:", code, message)
	for _, c := range []struct {
		direction errcodes.Direction
		status    ports.TransactionStatus
		code      errcodes.TransactionCode
	}{
		{errcodes.Payin, ports.TransactionFailed, errcodes.FailureInvalidPIN},
		{errcodes.Payout, ports.TransactionErrored, errcodes.ErrorConfiguration},
	} {
		id := demoWrongPIN + "-" + string(c.direction)
		s.openPayment(id, c.direction, time.Time{})
		done := s.reported(id, code, message)
		s.expect("the status", done.Transaction.Status, c.status)
		s.expect("the code", done.Transaction.Code, c.code)
		s.expect("the raw message", done.Transaction.Raw.Message, message)
		s.expect("the confidence", done.Result.Confidence, failures.Sure)
		state, failed := done.Transaction.AuthState()
		s.expect("the payment has a failure", failed, true)
		s.printf("  %s: %s with %s. %s.", c.direction, done.Transaction.Status, state.Code, state.Message)
	}
}

// lateMoney shows a payment that times out and is paid later.
func (s *story) lateMoney() {
	s.openPayment(demoNoAnswer, errcodes.Payin, s.clock.Now().Add(demoRespondIn))
	s.clock.Add(demoRespondIn)
	s.must(s.payments.Tick(s.ctx, s.clock.Now()))
	t, err := s.payments.Get(s.ctx, shop, demoNoAnswer)
	s.must(err)
	s.expect("the code", t.Code, errcodes.FailureTimeout)
	s.clock.Add(demoRespondIn)
	done := s.reported(demoNoAnswer, "0", "The service request is processed successfully.")
	s.expect("the effect", done.Effect, authstate.LandedLate)
	s.expect("the status", done.Transaction.Status, ports.TransactionFailed)
	s.expect("the end", done.Transaction.EndedAt, t.EndedAt)
	s.printf("A payer does not answer within a minute: %s with %s. A minute later the money arrives:", t.Status, t.Code)
	s.printf("  it stays %s, and an event reports the late money, to be refunded or matched.", done.Transaction.Status)
	s.expect("the effect of the repeated outcome", s.reported(demoNoAnswer, "0", "").Effect, authstate.Unchanged)
}
