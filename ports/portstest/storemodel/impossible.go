package storemodel

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// ImpossibleValidations saves invalid new records and changes without the domain's
// checks: the store must reject each and store nothing of it. It calls after for
// each.
func ImpossibleValidations(t *testing.T, store Store, after func(testing.TB)) {
	save := func(r ports.ValidationRecord) error { return store.Validations().Save(t.Context(), ValidationOf(r)) }
	read := func(r ports.ValidationRecord) (ports.ValidationRecord, error) {
		return store.Validations().Validation(t.Context(), r.Owner, r.ID)
	}
	stored := PendingValidation("acme", "stored")
	require.NoError(t, store.Validations().Save(t.Context(), ports.ValidationChange{Record: stored}))
	stored.Version++
	rejected(t, store, impossibleValidations(), PendingValidation("acme", "new"), stored, save, read, after)
}

// ImpossibleTransactions is ImpossibleValidations for transactions (I25, I26, I27).
func ImpossibleTransactions(t *testing.T, store Store, after func(testing.TB)) {
	save := func(tx ports.Transaction) error { return store.Transactions().Save(t.Context(), TransactionOf(tx)) }
	read := func(tx ports.Transaction) (ports.Transaction, error) {
		return store.Transactions().Transaction(t.Context(), tx.Owner, tx.ID)
	}
	stored := PendingTransaction("acme", "stored")
	require.NoError(t, store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: stored}))
	stored.Version++
	rejected(t, store, impossibleTransactions(), PendingTransaction("acme", "new"), stored, save, read, after)
}

// ImpossibleReports is ImpossibleValidations for report jobs (I22, I23).
func ImpossibleReports(t *testing.T, store Store, after func(testing.TB)) {
	save := func(j ports.ReportJob) error { return store.Reports().Save(t.Context(), ReportOf(j)) }
	read := func(j ports.ReportJob) (ports.ReportJob, error) {
		return store.Reports().Report(t.Context(), j.Owner, j.ID)
	}
	stored := RunningReport("acme", "stored")
	require.NoError(t, store.Reports().Save(t.Context(), ports.ReportChange{Job: stored}))
	stored.Version++
	rejected(t, store, impossibleReports(), RunningReport("acme", "new"), stored, save, read, after)
}

// ImpossibleRateLocks is ImpossibleValidations for rate locks (I1, I4) and for the
// slots of their book.
func ImpossibleRateLocks(t *testing.T, store Store, after func(testing.TB)) {
	book := func() ports.Book {
		b, err := store.RateLocks().Book(t.Context(), KeyOf("acme"))
		require.NoError(t, err)
		return b
	}
	with := func(c ports.RateLockChange) error {
		c.Events = []ports.Event{{ID: "stray", Kind: "stray", Key: "stray", Owner: "acme", At: Epoch}}
		return store.RateLocks().Save(t.Context(), c)
	}
	save := func(l ports.RateLock) error {
		b := book()
		if l.ID != b.Slots[0].ID {
			return with(Mint(b, l))
		}
		b.Slots[0] = ports.RateLock{}
		return with(ports.RateLockChange{Book: b, Ended: []ports.RateLock{l}})
	}
	read := func(l ports.RateLock) (ports.RateLock, error) {
		got, _, err := store.RateLocks().Lock(t.Context(), l.Owner, l.ID)
		return got, err
	}
	stored := ActiveLock("acme", "stored", Epoch)
	minted := Mint(book(), stored)
	minted.Events = nil
	require.NoError(t, store.RateLocks().Save(t.Context(), minted))
	rejected(t, store, impossibleLocks(), ActiveLock("acme", "new", Epoch.Add(time.Second)), stored, save, read, after)
	want := book()
	for name, spoil := range impossibleBooks() {
		t.Run(name, func(t *testing.T) {
			b := want
			spoil(&b)
			err := with(ports.RateLockChange{Book: b})
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "%v", err)
			after(t)
			require.Equal(t, want, book())
		})
	}
	requireNoEvents(t, store)
}

func rejected[V any](
	t *testing.T, store Store, impossible map[string]func(*V), fresh, stored V, save func(V) error, read func(V) (V, error), after func(testing.TB),
) {
	for name, spoil := range impossible {
		t.Run(name, func(t *testing.T) {
			for _, r := range []V{fresh, stored} {
				spoil(&r)
				err := save(r)
				require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "%v", err)
				after(t)
			}
			_, err := read(fresh)
			require.Equal(t, errcodes.NotFound, errcodes.Of(err), "%v", err)
			got, err := read(stored)
			require.NoError(t, err)
			require.Equal(t, stored, got)
		})
	}
	requireNoEvents(t, store)
}

func requireNoEvents(tb testing.TB, store Store) {
	events, err := store.Outbox().Claim(tb.Context(), Epoch, time.Second, 1000)
	require.NoError(tb, err)
	require.Empty(tb, events)
}

// impossibleLocks are records that each break one rule, by what is wrong.
func impossibleLocks() map[string]func(l *ports.RateLock) {
	end := func(l *ports.RateLock) { l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt }
	cancel := func(l *ports.RateLock, why ports.CancellationReason) {
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, why, l.CreatedAt
		l.ObservedMid, l.DeviationBps = "", 0
	}
	return map[string]func(l *ports.RateLock){
		"an unknown status":                                func(l *ports.RateLock) { end(l); l.Status = "paid" },
		"no status":                                        func(l *ports.RateLock) { end(l); l.Status = "" },
		"no status and no end":                             func(l *ports.RateLock) { l.Status, l.EndedAt = "", time.Time{} },
		"active with an end":                               func(l *ports.RateLock) { l.Status, l.EndedAt = ports.LockActive, Epoch },
		"active with a reason":                             func(l *ports.RateLock) { l.Status, l.CancellationReason = ports.LockActive, ports.CancelledRequested },
		"expired without an end":                           func(l *ports.RateLock) { end(l); l.EndedAt = time.Time{} },
		"expired with a reason":                            func(l *ports.RateLock) { end(l); l.CancellationReason = ports.CancelledRequested },
		"cancelled without an end":                         func(l *ports.RateLock) { cancel(l, ports.CancelledRequested); l.EndedAt = time.Time{} },
		"cancelled without a reason":                       func(l *ports.RateLock) { cancel(l, "") },
		"an unknown reason":                                func(l *ports.RateLock) { cancel(l, "whim") },
		"drift without a mid":                              func(l *ports.RateLock) { cancel(l, ports.CancelledMarketDrift) },
		"a mid without drift":                              func(l *ports.RateLock) { cancel(l, ports.CancelledRequested); l.ObservedMid = "18.70" },
		"active with a mid":                                func(l *ports.RateLock) { l.Status, l.ObservedMid = ports.LockActive, "18.70" },
		"a deviation without drift":                        func(l *ports.RateLock) { cancel(l, ports.CancelledRequested); l.DeviationBps = 246 },
		"a negative markup":                                func(l *ports.RateLock) { l.MarkupBps = -1 },
		"a price that does not follow from mid and markup": func(l *ports.RateLock) { l.AllInRate = "18.25" },
		"an expiry before the creation":                    func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt.Add(-time.Second) },
		"an expiry within the millisecond of the creation": func(l *ports.RateLock) {
			l.CreatedAt = l.CreatedAt.Truncate(time.Millisecond)
			l.ExpiresAt = l.CreatedAt.Add(time.Millisecond - time.Nanosecond)
		},
	}
}

func impossibleBooks() map[string]func(b *ports.Book) {
	filled := func(b *ports.Book) *ports.RateLock {
		b.Slots[0] = ActiveLock(b.Key.Owner, "slot", Epoch)
		return &b.Slots[0]
	}
	return map[string]func(b *ports.Book){
		"an ended lock in a slot":     func(b *ports.Book) { l := filled(b); l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt },
		"no status in a slot":         func(b *ports.Book) { filled(b).Status = "" },
		"a negative markup in a slot": func(b *ports.Book) { filled(b).MarkupBps = -1 },
		"a lock after an empty slot":  func(b *ports.Book) { filled(b); b.Slots[0], b.Slots[1] = ports.RateLock{}, b.Slots[0] },
	}
}

func impossibleValidations() map[string]func(r *ports.ValidationRecord) {
	end := func(r *ports.ValidationRecord) { *r = EndedValidation(*r, ports.StatusVerified) }
	return map[string]func(r *ports.ValidationRecord){
		"an unknown status":            func(r *ports.ValidationRecord) { *r = EndedValidation(*r, "paid") },
		"no status":                    func(r *ports.ValidationRecord) { *r = EndedValidation(*r, "") },
		"pending with an end":          func(r *ports.ValidationRecord) { r.EndedAt = Epoch },
		"pending with a type":          func(r *ports.ValidationRecord) { r.Type = ports.External },
		"ended without an end":         func(r *ports.ValidationRecord) { end(r); r.EndedAt = time.Time{} },
		"ended without a type":         func(r *ports.ValidationRecord) { end(r); r.Type = "" },
		"an unknown type":              func(r *ports.ValidationRecord) { end(r); r.Type = "guess" },
		"an outcome of internal rules": func(r *ports.ValidationRecord) { end(r); r.Type = ports.InternalRules },
		"a negative score":             func(r *ports.ValidationRecord) { end(r); r.NameScore = -1 },
		"a score of 101":               func(r *ports.ValidationRecord) { end(r); r.NameScore = 101 },
	}
}

func impossibleTransactions() map[string]func(tx *ports.Transaction) {
	end := func(tx *ports.Transaction) { *tx = FailedTransaction(*tx) }
	return map[string]func(tx *ports.Transaction){
		"an unknown status":               func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = "PAID", "" },
		"no status":                       func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = "", "" },
		"an unknown direction":            func(tx *ports.Transaction) { tx.Direction = "sideways" },
		"no direction":                    func(tx *ports.Transaction) { tx.Direction = "" },
		"pending with an end":             func(tx *ports.Transaction) { tx.EndedAt = Epoch },
		"ended without an end":            func(tx *ports.Transaction) { end(tx); tx.EndedAt = time.Time{} },
		"succeeded without an end":        func(tx *ports.Transaction) { tx.Status = ports.TransactionSucceeded },
		"pending with a code":             func(tx *ports.Transaction) { tx.Code = errcodes.FailureDeclined },
		"succeeded with a code":           func(tx *ports.Transaction) { end(tx); tx.Status = ports.TransactionSucceeded },
		"failed without a code":           func(tx *ports.Transaction) { end(tx); tx.Code = "" },
		"errored without a code":          func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = ports.TransactionErrored, "" },
		"pending with a provider code":    func(tx *ports.Transaction) { tx.Raw.Code = "51" },
		"pending with a provider message": func(tx *ports.Transaction) { tx.Raw.Message = "no" },
		"pending with a late payment":     func(tx *ports.Transaction) { *tx = LandedTransaction(*tx) },
		"succeeded with a late payment": func(tx *ports.Transaction) {
			*tx = LandedTransaction(FailedTransaction(*tx))
			tx.Status, tx.Code = ports.TransactionSucceeded, ""
		},
		"a late code without a payment":    func(tx *ports.Transaction) { end(tx); tx.LateRaw.Code = "00" },
		"a late message without a payment": func(tx *ports.Transaction) { end(tx); tx.LateRaw.Message = "landed" },
	}
}

func impossibleReports() map[string]func(j *ports.ReportJob) {
	complete := func(j *ports.ReportJob) { *j = CompletedReport(*j) }
	breaks := func(j *ports.ReportJob) { *j = FailedReport(*j) }
	return map[string]func(j *ports.ReportJob){
		"an unknown status":                  func(j *ports.ReportJob) { j.Status, j.EndedAt = "PAUSED", Epoch },
		"no status":                          func(j *ports.ReportJob) { j.Status, j.EndedAt = "", Epoch },
		"an unknown kind":                    func(j *ports.ReportJob) { j.Kind = "gossip" },
		"running with an end":                func(j *ports.ReportJob) { j.EndedAt = Epoch },
		"completed without an end":           func(j *ports.ReportJob) { complete(j); j.EndedAt = time.Time{} },
		"failed without an end":              func(j *ports.ReportJob) { breaks(j); j.EndedAt = time.Time{} },
		"running with a reason":              func(j *ports.ReportJob) { j.Reason = "internal" },
		"completed with a reason":            func(j *ports.ReportJob) { complete(j); j.Reason = "internal" },
		"failed without a reason":            func(j *ports.ReportJob) { breaks(j); j.Reason = "" },
		"running with a checksum":            func(j *ports.ReportJob) { j.FileSHA256 = strings.Repeat("0", 64) },
		"running with a size":                func(j *ports.ReportJob) { j.FileSize = 1 },
		"failed with a checksum":             func(j *ports.ReportJob) { breaks(j); j.FileSHA256 = strings.Repeat("0", 64) },
		"failed with a size":                 func(j *ports.ReportJob) { breaks(j); j.FileSize = 1 },
		"completed without a checksum":       func(j *ports.ReportJob) { complete(j); j.FileSHA256 = "" },
		"a checksum that is too short":       func(j *ports.ReportJob) { complete(j); j.FileSHA256 = j.FileSHA256[1:] },
		"a checksum that is too long":        func(j *ports.ReportJob) { complete(j); j.FileSHA256 += "0" },
		"a checksum that is not hexadecimal": func(j *ports.ReportJob) { complete(j); j.FileSHA256 = strings.Repeat("g", 64) },
		"a negative size":                    func(j *ports.ReportJob) { complete(j); j.FileSize = -1 },
		"negative rows":                      func(j *ports.ReportJob) { j.Rows = -1 },
		"a total below -1":                   func(j *ports.ReportJob) { j.Total = -2 },
		"negative attempts":                  func(j *ports.ReportJob) { j.Attempts = -1 },
		"a last day before the first one":    func(j *ports.ReportJob) { j.Request.To = j.Request.From.Add(-time.Millisecond) },
	}
}
