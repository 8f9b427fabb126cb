package stores_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func (w *worlds) paymentActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"payment open": w.openPayment, "payment record": w.recordPayment, "payment end": w.endPayment,
		"payment get": w.getPayment, "payment tick": w.tickPayments, "payment save": w.savePayment,
	}
}

func (*worlds) paymentID(t *rapid.T) string {
	return fmt.Sprintf("tx-%d", rapid.IntRange(1, 6).Draw(t, "transaction"))
}

func (w *worlds) openPayment(t *rapid.T) {
	owner, now := w.owner(t), w.clock.Now()
	o := authstate.Opening{ID: w.paymentID(t), Direction: rapid.SampledFrom([]errcodes.Direction{errcodes.Payin, errcodes.Payout}).Draw(t, "direction")}
	if rapid.Bool().Draw(t, "limited") {
		o.RespondBy = now.Add(time.Minute)
	}
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Transaction, error) { return w.payments.Open(ctx, owner, o) })
}

func (w *worlds) recordPayment(t *rapid.T) {
	owner, id := w.owner(t), w.paymentID(t)
	said := rapid.SampledFrom([]authstate.Report{
		{Scheme: failures.MpesaDaraja, Code: "0", Message: "paid"}, {Scheme: failures.Paystack, Code: "processing"},
		{Scheme: failures.MpesaDaraja, Code: "1032", Message: "cancelled by the payer\x00\xff"},
		{Scheme: failures.ISO8583, Code: "91"}, {Scheme: failures.ISO8583, Code: strings.Repeat("9", ports.MaxRaw+1)},
	}).Draw(t, "said")
	_, _ = same(t, w, func(ctx context.Context, w *world) (authstate.Applied, error) {
		return w.payments.Record(ctx, owner, id, said)
	})
}

func (w *worlds) endPayment(t *rapid.T) {
	owner, id := w.owner(t), w.paymentID(t)
	code := rapid.SampledFrom([]errcodes.TransactionCode{"", "timeout", "networkError", "none such"}).Draw(t, "code")
	_, _ = same(t, w, func(ctx context.Context, w *world) (authstate.Applied, error) {
		if code == "" {
			return w.payments.Succeed(ctx, owner, id)
		}
		return w.payments.Fail(ctx, owner, id, code)
	})
}

func (w *worlds) getPayment(t *rapid.T) {
	owner, id := w.owner(t), w.paymentID(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Transaction, error) {
		return w.Transactions().Transaction(ctx, owner, id)
	})
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Transaction, error) { return w.payments.Get(ctx, owner, id) })
}

func (w *worlds) tickPayments(t *rapid.T) {
	now := w.clock.Now()
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.payments.Tick(ctx, now) })
}

// savePayment saves at the port what a service would not: another end of an ended
// transaction, another late payment, a stale version.
func (w *worlds) savePayment(t *rapid.T) {
	owner, id, now := w.owner(t), w.paymentID(t), w.clock.Now()
	tx, err := w.all[0].Transactions().Transaction(context.Background(), owner, id)
	if err != nil || tx.Status.State() == "" {
		t.Skip("none has ended badly")
	}
	switch rapid.IntRange(0, 4).Draw(t, "change") {
	case 0:
		tx.LateAt, tx.LateRaw = now, ports.RawFailure{Code: "\xff", Message: strings.Repeat("m", ports.MaxRaw)}
	case 1:
		tx.Raw.Message += "!"
	case 2:
		tx.Version++
	case 3:
		tx.Raw.Code = strings.Repeat("c", ports.MaxRaw+1)
	}
	_ = agree(t, w, func(ctx context.Context, w *world) error {
		return w.Transactions().Save(ctx, ports.TransactionChange{Transaction: tx})
	})
}
