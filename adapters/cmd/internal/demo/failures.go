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

func (s *story) showPayment(t ports.Transaction) {
	line := "      " + t.ID + "  " + string(t.Status)
	if state, failed := t.AuthState(); failed {
		line += "  " + string(state.Code) + ": " + state.Message
		if state.ConnectorFailureCode != "" {
			line += " (M-Pesa: " + state.ConnectorFailureCode + ": " + state.ConnectorFailureMessage + ")"
		}
	}
	s.printf("%s", line)
}

// wrongPIN shows one raw code with two meanings.
func (s *story) wrongPIN() {
	const code, message = "2001", "The initiator information is invalid."
	s.timedf("M-Pesa returns %s. For a payin the payer's PIN was wrong, for a payout the merchant's credential.", code)
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
		s.showPayment(done.Transaction)
	}
}

// lateMoney shows a payment that times out and is paid later.
func (s *story) lateMoney() {
	s.printf("       A payer does not respond to the prompt within a minute: the payment fails.")
	s.openPayment(demoNoAnswer, errcodes.Payin, s.clock.Now().Add(demoRespondIn))
	s.clock.Add(demoRespondIn)
	s.must(s.payments.Tick(s.ctx, s.clock.Now()))
	t, err := s.payments.Get(s.ctx, shop, demoNoAnswer)
	s.must(err)
	s.expect("the code", t.Code, errcodes.FailureTimeout)
	s.showPayment(t)
	s.clock.Add(demoRespondIn)
	done := s.reported(demoNoAnswer, "0", "The service request is processed successfully.")
	s.expect("the effect", done.Effect, authstate.LandedLate)
	s.expect("the status", done.Transaction.Status, ports.TransactionFailed)
	s.expect("the end", done.Transaction.EndedAt, t.EndedAt)
	s.printf("       A minute later the money arrives. The status stays; an event reports the late payment, to be refunded or matched.")
	s.expect("the effect of the repeated outcome", s.reported(demoNoAnswer, "0", "").Effect, authstate.Unchanged)
}
