package authstate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lossy returns OutcomeUnknown from the next saves, whether it has stored them or not.
type lossy struct {
	ports.TransactionStore
	lose    int   // number of saves with an unknown outcome
	stored  bool  // whether those are stored
	offline error // of reads, from the first loss on
	lost    bool
	then    func() // called after a loss
}

func (l *lossy) Save(ctx context.Context, c ports.TransactionChange) error {
	if l.lose == 0 {
		return l.TransactionStore.Save(ctx, c)
	}
	l.lose--
	l.lost = true
	if l.stored {
		if err := l.TransactionStore.Save(ctx, c); err != nil {
			return err
		}
	}
	if l.then != nil {
		l.then()
	}
	return errcodes.Wrap(errcodes.OutcomeUnknown, "", errors.New("connection reset"))
}

func (l *lossy) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if l.lost && l.offline != nil {
		return ports.Transaction{}, l.offline
	}
	return l.TransactionStore.Transaction(ctx, owner, id)
}

func TestAnUnknownOutcomeIsReadBack(t *testing.T) {
	offline := errcodes.New(errcodes.StorageUnavailable, "")
	for _, c := range []struct {
		name    string
		stored  bool
		offline error
		lose    int
		want    errcodes.Code
	}{
		{"it was stored", true, nil, 1, ""},
		{"it was not stored", false, nil, 1, ""},
		{"it was not stored, four times", false, nil, 4, ""},
		{"it was never stored", false, nil, 1000, errcodes.OutcomeUnknown},
		{"it was stored, and nothing can be read", true, offline, 1, errcodes.OutcomeUnknown},
		{"it was not stored, and nothing can be read", false, offline, 1, errcodes.OutcomeUnknown},
	} {
		for _, outcome := range []failures.Outcome{failures.Success, failures.Failed, failures.Errored} {
			t.Run(c.name+": "+string(outcome), func(t *testing.T) {
				r := newRig(t)
				r.open(minute("t"))
				s := r.on(&lossy{TransactionStore: r.store.Transactions(), lose: c.lose, stored: c.stored, offline: c.offline}, r.store.Work(), r.clock)
				a, err := s.Record(t.Context(), owner, "t", said[outcome])
				require.Equal(t, c.want, errcodes.Of(err))
				if c.want != "" {
					assert.Zero(t, a.Effect, "neither moved nor unchanged")
					assert.Empty(t, r.effects)
					return
				}
				assert.Equal(t, authstate.Moved, a.Effect)
				assert.Equal(t, r.stored("t"), a.Transaction)
				assert.Equal(t, []authstate.Effect{authstate.Moved}, r.effects)
				assert.Len(t, r.events(), 2, "I32: one event for opening, one for the end")
			})
		}
	}
}

func TestAnUnknownOutcomeOfALatePaymentIsReadBack(t *testing.T) {
	for _, stored := range []bool{true, false} {
		r := newRig(t)
		r.open(minute("t"))
		r.record("t", failures.Failed)
		s := r.on(&lossy{TransactionStore: r.store.Transactions(), lose: 1, stored: stored}, r.store.Work(), r.clock)
		a, err := s.Succeed(t.Context(), owner, "t")
		require.NoError(t, err)
		assert.Equal(t, authstate.LandedLate, a.Effect)
		assert.Equal(t, r.stored("t"), a.Transaction)
		assert.Equal(t, []string{authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment}, kinds(r.events()))
	}
}

// A late payment may be recorded before the failure is read back.
func TestAnUnknownFailureIsFoundAlthoughItWasPaidLateSince(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	store := &lossy{TransactionStore: r.store.Transactions(), lose: 1, stored: true}
	store.then = func() {
		a, err := r.service.Succeed(t.Context(), owner, "t")
		require.NoError(t, err)
		require.Equal(t, authstate.LandedLate, a.Effect)
	}
	a, err := r.on(store, r.store.Work(), r.clock).Record(t.Context(), owner, "t", said[failures.Failed])
	require.NoError(t, err)
	assert.Equal(t, authstate.Moved, a.Effect)
	assert.False(t, a.Transaction.LateAt.IsZero(), "the current state")
}

func TestAnotherWritersEndIsNotMistakenForAnUnknownOutcome(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	store := &lossy{TransactionStore: r.store.Transactions(), lose: 1}
	store.then = func() {
		_, err := r.service.Fail(t.Context(), owner, "t", errcodes.FailureCustomerRejected)
		require.NoError(t, err)
	}
	a, err := r.on(store, r.store.Work(), r.clock).Record(t.Context(), owner, "t", said[failures.Failed])
	require.NoError(t, err)
	assert.Equal(t, authstate.Unchanged, a.Effect)
	assert.Equal(t, errcodes.FailureCustomerRejected, a.Transaction.Code)
}

func TestAnUnknownOutcomeOfAnOpenIsReadBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		stored  bool
		offline error
		want    errcodes.Code
	}{
		{"it was stored", true, nil, ""},
		{"it was not stored", false, nil, errcodes.OutcomeUnknown},
		{"it was stored, and nothing can be read", true, errcodes.New(errcodes.StorageUnavailable, ""), errcodes.OutcomeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			s := r.on(&lossy{TransactionStore: r.store.Transactions(), lose: 1, stored: c.stored, offline: c.offline}, r.store.Work(), r.clock)
			got, err := s.Open(t.Context(), owner, minute("t"))
			require.Equal(t, c.want, errcodes.Of(err))
			if c.want == "" {
				assert.Equal(t, r.stored("t"), got)
			} else {
				assert.Zero(t, got)
			}
			got = r.open(minute("t"))
			assert.Equal(t, r.stored("t"), got, "a repeated call")
			assert.Len(t, r.events(), 1)
			assert.Len(t, r.due(noon.Add(time.Minute)), 1)
		})
	}
}

// contended returns a conflict from every save.
type contended struct {
	ports.TransactionStore
	saves   int
	offline error
}

func (c *contended) Save(context.Context, ports.TransactionChange) error {
	c.saves++
	return errcodes.New(errcodes.Conflict, "")
}

func (c *contended) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if c.saves > 0 && c.offline != nil {
		return ports.Transaction{}, c.offline
	}
	return c.TransactionStore.Transaction(ctx, owner, id)
}

func TestAnOutcomeIsNotAppliedAgainWithoutEnd(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	store := &contended{TransactionStore: r.store.Transactions()}
	s := r.on(store, r.store.Work(), r.clock)
	_, err := s.Succeed(t.Context(), owner, "t")
	require.ErrorIs(t, err, errcodes.Conflict)
	assert.Equal(t, 5, store.saves)
	assert.Empty(t, r.effects)

	r.clock.Set(noon.Add(time.Minute))
	_, err = s.Get(t.Context(), owner, "t")
	require.ErrorIs(t, err, errcodes.Conflict, "an end that was not stored is not returned")
}

// Conflict means that the id is in use: the caller would pay with a new id.
func TestAnOpenWithAFailedReadIsNotAConflict(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	offline := errcodes.New(errcodes.StorageUnavailable, "")
	s := r.on(&contended{TransactionStore: r.store.Transactions(), offline: offline}, r.store.Work(), r.clock)
	_, err := s.Open(t.Context(), owner, minute("t"))
	require.ErrorIs(t, err, errcodes.StorageUnavailable)

	empty := newRig(t)
	s = r.on(&contended{TransactionStore: empty.store.Transactions()}, empty.store.Work(), r.clock)
	_, err = s.Open(t.Context(), owner, minute("t"))
	require.ErrorIs(t, err, errcodes.Conflict, "the conflict has another cause")
}

func TestAFailedReadAfterAConflictIsReturned(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	offline := errcodes.New(errcodes.StorageUnavailable, "")
	s := r.on(&contended{TransactionStore: r.store.Transactions(), offline: offline}, r.store.Work(), r.clock)
	a, err := s.Succeed(t.Context(), owner, "t")
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	assert.Zero(t, a)
}

func TestAFullStoreIsStorageUnavailable(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.faults = func(string) error { return errcodes.New(errcodes.StorageUnavailable, "") }
	_, err := r.service.Open(t.Context(), owner, minute("other"))
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	_, err = r.service.Succeed(t.Context(), owner, "t")
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	assert.Empty(t, r.effects)
	_, err = r.service.Get(t.Context(), owner, "t")
	require.NoError(t, err, "reading a pending transaction does not write")
	r.clock.Set(noon.Add(time.Minute))
	for range 2 {
		_, err = r.service.Get(t.Context(), owner, "t")
		require.ErrorIs(t, err, errcodes.StorageUnavailable, "an end that cannot be stored is not returned")
	}
	assert.Equal(t, ports.TransactionPending, r.stored("t").Status)
}
