package stores_test

import (
	"context"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

func (w *worlds) accountActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"account validate": w.validate, "account get": w.getValidation, "account tick": w.tickAccounts,
		"account save": w.saveValidation, "account overdue": w.listOverdue, "account purge": w.purgeAccounts,
		"answer put": w.putAnswer, "answer get": w.getAnswer, "answer claim": w.claimAnswer,
	}
}

const someMerchant = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"

func (w *worlds) validate(t *rapid.T) {
	owner := w.owner(t)
	r := market.Request{
		MerchantID: someMerchant, Country: rapid.SampledFrom([]string{"NGA", "NGA", "NGA", "ZAF", "XXX"}).Draw(t, "country"),
		AccountType: "bank_account", BankCode: "044",
		AccountIdentifier: rapid.SampledFrom([]string{"0690000032", "0690000031", "0123456789", "12"}).Draw(t, "number"),
		AccountHolderName: rapid.SampledFrom([]string{"", "Ama Mensah", "Kofi Annan"}).Draw(t, "name"),
	}
	v, err := same(t, w, func(ctx context.Context, w *world) (ports.Validation, error) {
		return w.accounts.Validate(ctx, owner, r)
	})
	if err == nil {
		w.checks = append(w.checks, v.ID)
	}
}

func (w *worlds) getValidation(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.checks, "validation")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Validation, error) { return w.accounts.Get(ctx, owner, id) })
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.ValidationRecord, error) {
		return w.Validations().Validation(ctx, owner, id)
	})
}

func (w *worlds) tickAccounts(t *rapid.T) {
	now := w.clock.Now()
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.accounts.Tick(ctx, now) })
}

// saveValidation saves a record at the port: new, changed, ended, or with a wrong
// version.
func (w *worlds) saveValidation(t *rapid.T) {
	now := w.clock.Now()
	if len(w.raw) == 0 || rapid.IntRange(0, 2).Draw(t, "new") == 0 {
		w.serial++
		w.raw = append(w.raw, fmt.Sprintf("raw-%d", w.serial)) // an id is never reused (I13)
	}
	id := draw(t, w.raw, "id")
	r := ports.ValidationRecord{
		ID: id, Owner: w.owner(t), Version: w.versions["validation "+id], MerchantID: someMerchant,
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "044", Status: ports.StatusPending,
		Provider: "bank", Tables: "1", CreatedAt: now, Deadline: now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "deadline")) * time.Minute),
		PurgeAt: now.Add(time.Hour), Sealed: ports.Sealed{KeyID: "lost", Data: []byte{0, 1, 0xff}},
	}
	if rapid.Bool().Draw(t, "ended") {
		r.Status, r.Type, r.Outcome, r.EndedAt = ports.StatusNotFound, ports.External, ports.OutcomeNotFound, now
	}
	if rapid.IntRange(0, 5).Draw(t, "stale") == 0 {
		r.Version++
	}
	err := agree(t, w, func(ctx context.Context, w *world) error {
		return w.Validations().Save(ctx, ports.ValidationChange{Record: r})
	})
	if err == nil {
		w.versions["validation "+id] = r.Version + 1
		w.checks = append(w.checks, id)
	}
}

func (w *worlds) listOverdue(t *rapid.T) {
	by, limit, after := w.clock.Now(), rapid.IntRange(0, 3).Draw(t, "limit"), ports.Pos{}
	for range 3 {
		page, err := same(t, w, func(ctx context.Context, w *world) ([]ports.ValidationRecord, error) {
			return w.Validations().Overdue(ctx, by, after, limit)
		})
		if err != nil || len(page) == 0 {
			return
		}
		last := page[len(page)-1]
		after = ports.Pos{At: last.Deadline, ID: last.ID}
	}
}

// purgeAccounts removes everything due, because each store has its own order.
func (w *worlds) purgeAccounts(t *rapid.T) {
	now, n := w.clock.Now(), rapid.SampledFrom([]int{0, 10_000, 10_001}).Draw(t, "n")
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) { return w.Validations().PurgeValidations(ctx, now, n) })
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) { return w.Answers().PurgeAnswers(ctx, now, n) })
}

func (*worlds) answerKey(t *rapid.T) [32]byte {
	return [32]byte{0: byte(rapid.IntRange(0, 2).Draw(t, "account"))}
}

func (w *worlds) putAnswer(t *rapid.T) {
	now := w.clock.Now()
	a := ports.CachedAnswer{
		Key: w.answerKey(t), Provider: rapid.SampledFrom([]string{"bank", "other"}).Draw(t, "provider"), At: now,
		ExpiresAt: now.Add(time.Minute), Sealed: ports.Sealed{KeyID: "open", Data: []byte{0, 0xfe}},
	}
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.Answers().PutAnswer(ctx, a) })
}

func (w *worlds) getAnswer(t *rapid.T) {
	key := w.answerKey(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.CachedAnswer, error) { return w.Answers().Answer(ctx, key) })
}

func (w *worlds) claimAnswer(t *rapid.T) {
	key, holder := w.answerKey(t), rapid.SampledFrom([]string{"one", "two", "two\x00", ""}).Draw(t, "holder")
	now, release := w.clock.Now(), rapid.IntRange(0, 2).Draw(t, "release") == 0
	_, _ = same(t, w, func(ctx context.Context, w *world) (bool, error) {
		if release {
			return false, w.Answers().Release(ctx, key, holder)
		}
		return w.Answers().Claim(ctx, key, holder, now, now.Add(time.Minute))
	})
}
