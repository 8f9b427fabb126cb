package storemodel

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// report draws a valid job with any texts and times.
func (a Any) report(t *rapid.T, owner, id string) ports.ReportJob {
	j := ports.ReportJob{
		ID: id, Owner: owner, Kind: rapid.SampledFrom([]ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}).Draw(t, "kind"),
		Status:    rapid.SampledFrom([]ports.ReportStatus{ports.ReportRunning, ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}).Draw(t, "status"),
		CreatedAt: a.Time.Draw(t, "created"), Attempts: rapid.IntMin(0).Draw(t, "attempts"), Holder: a.Bytes.Draw(t, "holder"),
		Rows: rapid.Int64Min(0).Draw(t, "rows"), Total: rapid.Int64Min(-1).Draw(t, "total"),
	}
	for _, at := range []*time.Time{&j.UpdatedAt, &j.LeaseUntil, &j.StartedAt, &j.AsOf} {
		if rapid.Bool().Draw(t, "has a time") {
			*at = a.Time.Draw(t, "time")
		}
	}
	r, texts := &j.Request, a.texts()
	r.MerchantID, r.Name, r.Format = a.Bytes.Draw(t, "merchant"), a.Bytes.Draw(t, "name"), a.Bytes.Draw(t, "format")
	r.From = a.Time.Draw(t, "from")
	r.To = r.From.AddDate(0, 0, rapid.IntRange(0, 400).Draw(t, "days"))
	r.Columns = texts.Draw(t, "columns")
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		r.Filters = append(r.Filters, ports.Filter{
			Column: a.Bytes.Draw(t, "column"), OneOf: texts.Draw(t, "one of"), From: a.Bytes.Draw(t, "at least"), To: a.Bytes.Draw(t, "at most"),
		})
	}
	switch j.Status {
	case ports.ReportCompleted:
		j.EndedAt, j.FileSize = a.Time.Draw(t, "ended"), rapid.Int64Min(0).Draw(t, "size")
		j.FileSHA256 = rapid.StringMatching("[0-9a-f]{64}").Draw(t, "sha")
	case ports.ReportFailed:
		j.EndedAt, j.Reason = a.Time.Draw(t, "ended"), "c"+a.Text.Draw(t, "reason")
	case ports.ReportRunning:
	}
	return j
}

// comesBack saves v, then next unless v has ended, and reads the record back after
// each save.
func comesBack[V any](t *rapid.T, v, next V, version func(*V) *int64, ended bool, save func(V) error, read func(V)) {
	saves := func(v V, want errcodes.Code) {
		err := save(v)
		require.Equal(t, want, errcodes.Of(err), "%v", err)
	}
	saves(v, "")
	*version(&v), *version(&next) = 1, 1
	read(v)
	if ended {
		saves(next, errcodes.Conflict)
		read(v)
		return
	}
	saves(next, "")
	*version(&next) = 2
	read(next)
}

// ReportsComeBackEqual saves any job, changes it to any other if it may change, and
// reads it back in every way (I22).
func ReportsComeBackEqual(t *testing.T, store Store, a Any) {
	taken := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := a.Bytes.Draw(rt, "owner"), a.Bytes.Draw(rt, "id")
		if taken[id] {
			rt.Skip("taken")
		}
		taken[id] = true
		j := a.report(rt, owner, id)
		comesBack(rt, j, a.report(rt, owner, id), func(j *ports.ReportJob) *int64 { return &j.Version }, j.Status.Terminal(),
			func(j ports.ReportJob) error { return store.Reports().Save(t.Context(), ports.ReportChange{Job: j}) },
			func(want ports.ReportJob) { requireReport(rt, store, want) })
	})
}

func requireReport(t *rapid.T, store Store, want ports.ReportJob) {
	got, err := store.Reports().Report(context.Background(), want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	if want.Status.Terminal() {
		ended, err := store.Reports().ExpiredReports(context.Background(), want.EndedAt, 1_000)
		require.NoError(t, err)
		require.Contains(t, ended, want)
	}
}

// transaction draws a valid transaction with any texts and times.
func (a Any) transaction(t *rapid.T, owner, id string) ports.Transaction {
	tx := ports.Transaction{
		ID: id, Owner: owner, Direction: rapid.SampledFrom([]errcodes.Direction{errcodes.Payin, errcodes.Payout}).Draw(t, "direction"),
		Status: rapid.SampledFrom([]ports.TransactionStatus{
			ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
		}).Draw(t, "status"),
		CreatedAt: a.Time.Draw(t, "created"),
	}
	if rapid.Bool().Draw(t, "bounded") {
		tx.RespondBy = a.Time.Draw(t, "respond by")
	}
	if tx.Status == ports.TransactionPending {
		return tx
	}
	raw := a.raw()
	tx.Raw = ports.RawFailure{Code: raw.Draw(t, "code"), Message: raw.Draw(t, "message")}
	tx.Scheme, tx.Tables, tx.EndedAt = a.Bytes.Draw(t, "scheme"), a.Bytes.Draw(t, "tables"), a.Time.Draw(t, "ended")
	if tx.Status.State() == "" {
		return tx
	}
	tx.Code = errcodes.TransactionCode("c" + a.Text.Draw(t, "normalised"))
	if rapid.Bool().Draw(t, "late") {
		tx.LateAt, tx.LateRaw = a.Time.Draw(t, "late at"), ports.RawFailure{Code: raw.Draw(t, "late code"), Message: raw.Draw(t, "late message")}
	}
	return tx
}

// TransactionsComeBackEqual saves any transaction, changes it to any other if it
// may change, and reads it back (I26, I27).
func TransactionsComeBackEqual(t *testing.T, store Store, a Any) {
	taken := map[[2]string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := a.Bytes.Draw(rt, "owner"), a.Bytes.Draw(rt, "id")
		if taken[[2]string{owner, id}] {
			rt.Skip("taken")
		}
		taken[[2]string{owner, id}] = true
		tx, next := a.transaction(rt, owner, id), a.transaction(rt, owner, id)
		if tx.Status.Terminal() {
			next.EndedAt = tx.EndedAt.Add(time.Millisecond)
			next.Status, next.Code, next.LateAt, next.LateRaw = tx.Status, tx.Code, time.Time{}, ports.RawFailure{}
		}
		comesBack(rt, tx, next, func(tx *ports.Transaction) *int64 { return &tx.Version }, tx.Status.Terminal(),
			func(tx ports.Transaction) error {
				return store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: tx})
			},
			func(want ports.Transaction) { requireTransaction(rt, store, want) })
	})
}

func requireTransaction(t *rapid.T, store Store, want ports.Transaction) {
	got, err := store.Transactions().Transaction(context.Background(), want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = store.Transactions().Transaction(context.Background(), want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}

// validation draws a valid record with any texts and times.
func (a Any) validation(t *rapid.T, id string) ports.ValidationRecord {
	r := ports.ValidationRecord{
		ID: id, Owner: a.Bytes.Draw(t, "owner"), MerchantID: a.Bytes.Draw(t, "merchant"),
		Market:   ports.Market{Country: a.Text.Draw(t, "country"), Type: ports.AccountType(a.Text.Draw(t, "account type"))},
		BankCode: a.Text.Draw(t, "bank"), Status: ports.StatusPending, Provider: a.Text.Draw(t, "provider"),
		Tables: a.Text.Draw(t, "tables"), CreatedAt: a.Time.Draw(t, "created"), Deadline: a.Time.Draw(t, "deadline"),
		PurgeAt: a.Time.Draw(t, "purge at"),
		Sealed:  ports.Sealed{KeyID: a.Text.Draw(t, "key"), Data: anySealed.Draw(t, "sealed")},
	}
	if rapid.Bool().Draw(t, "pending") {
		return r
	}
	r.Status = rapid.SampledFrom(Ends).Draw(t, "status")
	r.Type, r.EndedAt, r.Cached = ports.InternalRules, a.Time.Draw(t, "ended"), rapid.Bool().Draw(t, "cached")
	r.NameRule, r.NameScore = a.Text.Draw(t, "rule"), rapid.IntRange(0, 100).Draw(t, "score")
	if rapid.Bool().Draw(t, "external") {
		r.Type, r.Outcome, r.ExpiresAt = ports.External, ports.Outcome(a.Text.Draw(t, "outcome")), a.Time.Draw(t, "expires")
	}
	return r
}

// ValidationsComeBackEqual saves any record, changes it to any other, and reads it
// back in every way.
func ValidationsComeBackEqual(t *testing.T, store Store, a Any) {
	taken := map[string]bool{"": true}
	rapid.Check(t, func(rt *rapid.T) {
		r := a.validation(rt, a.Bytes.Filter(func(id string) bool { return !taken[id] }).Draw(rt, "id"))
		taken[r.ID] = true
		next := a.validation(rt, r.ID)
		next.Owner = r.Owner
		comesBack(rt, r, next, func(r *ports.ValidationRecord) *int64 { return &r.Version }, r.Status != ports.StatusPending,
			func(r ports.ValidationRecord) error {
				return store.Validations().Save(t.Context(), ports.ValidationChange{Record: r})
			},
			func(want ports.ValidationRecord) { requireValidation(rt, store, want) })
	})
}

func requireValidation(t *rapid.T, store Store, want ports.ValidationRecord) {
	ctx := context.Background()
	got, err := store.Validations().Validation(ctx, want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	overdue, err := store.Validations().Overdue(ctx, want.Deadline, ports.Pos{At: want.Deadline.Add(-time.Millisecond)}, 10_000)
	require.NoError(t, err)
	listed := slices.ContainsFunc(overdue, func(r ports.ValidationRecord) bool { return r.ID == want.ID })
	require.Equal(t, want.Status == ports.StatusPending, listed)
	if listed {
		require.Contains(t, overdue, want)
	}
	_, err = store.Validations().Validation(ctx, want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}
