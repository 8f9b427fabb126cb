package service

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// stage is the environment of the plays, with a clock that the test moves.
type stage struct {
	*sandboxTransactions

	t     *testing.T
	clock *portstest.Clock
	store StorePorts
	log   *bytes.Buffer
}

// staged returns plays on a store that is accessed through watch.
func staged(t *testing.T, store StorePorts, watch func(ports.TransactionStore) ports.TransactionStore) *stage {
	t.Helper()
	s := &stage{t: t, clock: portstest.NewClock(noon), store: store, log: &bytes.Buffer{}}
	service, err := authstate.New(authstate.Ports{Transactions: watch(store.Transactions()), Work: store.Work()}, authstate.Policy{}, &authstate.Config{Clock: s.clock})
	require.NoError(t, err)
	s.sandboxTransactions = newSandboxTransactions(service, s.clock, slog.New(slog.NewTextHandler(s.log, nil)))
	return s
}

func plain(s ports.TransactionStore) ports.TransactionStore { return s }

func onStage(t *testing.T, watch func(ports.TransactionStore) ports.TransactionStore) *stage {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return staged(t, store, watch)
}

// get requests a transaction as acme.
func (s *stage) get(play string) ports.Transaction {
	s.t.Helper()
	tx, err := s.Get(s.t.Context(), "acme", sandboxPrefix+play)
	require.NoError(s.t, err)
	return tx
}

// seen reads the store directly, which does not advance the plays.
func (s *stage) seen(play string) ports.Transaction {
	s.t.Helper()
	tx, err := s.store.Transactions().Transaction(s.t.Context(), "acme", sandboxPrefix+play)
	require.NoError(s.t, err)
	return tx
}

func (s *stage) at(after time.Duration) { s.clock.Set(noon.Add(after)) }

// kinds returns the kinds of the events of one play, in order.
func (s *stage) kinds(play string) (kinds []string) {
	s.t.Helper()
	for {
		events, err := s.store.Outbox().Claim(s.t.Context(), noon, time.Minute, 100)
		require.NoError(s.t, err)
		if len(events) == 0 {
			return kinds
		}
		for _, e := range events {
			if e.Key == "acme\x00"+sandboxPrefix+play {
				kinds = append(kinds, e.Kind)
			}
			require.NoError(s.t, s.store.Outbox().Ack(s.t.Context(), e))
		}
	}
}

// Each play ends once, exact to the millisecond (I27).
func TestPlaysFollowTheClock(t *testing.T) {
	t.Parallel()
	const tick = time.Millisecond
	s := onStage(t, plain)
	for _, c := range []struct {
		at     time.Duration
		play   string
		status ports.TransactionStatus
		code   errcodes.TransactionCode
		ended  time.Duration // time since the beginning
	}{
		{0, "failed", ports.TransactionFailed, errcodes.FailureCustomerRejected, 0},
		{0, "errored", ports.TransactionErrored, errcodes.ErrorPayoutInsufficientFunds, 0},
		{0, "pending", ports.TransactionPending, "", 0},
		{2*time.Second - tick, "succeeded", ports.TransactionPending, "", 0},
		{2*time.Second - tick, "timeout_late", ports.TransactionPending, "", 0},
		{2 * time.Second, "succeeded", ports.TransactionSucceeded, "", 2 * time.Second},
		{2 * time.Second, "timeout_late", ports.TransactionFailed, errcodes.FailureTimeout, 2 * time.Second},
		{5*time.Second - tick, "timeout_late", ports.TransactionFailed, errcodes.FailureTimeout, 2 * time.Second},
		{24 * 365 * time.Hour, "pending", ports.TransactionPending, "", 0},
		{24 * 365 * time.Hour, "failed", ports.TransactionFailed, errcodes.FailureCustomerRejected, 0},
	} {
		s.at(c.at)
		tx := s.get(c.play)
		require.Equal(t, c.status, tx.Status, "%s at %s", c.play, c.at)
		require.Equal(t, c.code, tx.Code, "%s at %s", c.play, c.at)
		require.Equal(t, noon, tx.CreatedAt, c.play)
		if c.status.Terminal() {
			require.Equal(t, noon.Add(c.ended), tx.EndedAt, c.play)
		}
		if c.at < 5*time.Second {
			require.Zero(t, tx.LateAt)
		}
	}
}

// The money arrives on time and is reported once, and the terminal status stays (I27,
// I32).
func TestLateMoneyIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := onStage(t, plain)
	s.get("pending")
	s.at(2 * time.Second)
	failed := s.get("timeout_late")
	require.Equal(t, noon.Add(2*time.Second), failed.EndedAt)
	s.at(5 * time.Second)
	for range 3 {
		late := s.get("timeout_late")
		require.Equal(t, noon.Add(5*time.Second), late.LateAt)
		require.Equal(t, authstate.ViewOf(&failed), authstate.ViewOf(&late))
		s.at(time.Minute)
	}
	require.Equal(t, []string{authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment}, s.kinds("timeout_late"))
}

// After a pause a play is where it would be without it.
func TestPlaysCatchUpAfterAPause(t *testing.T) {
	t.Parallel()
	first := onStage(t, plain)
	first.get("pending")
	next := staged(t, first.store, plain)
	next.at(time.Hour)
	require.Equal(t, ports.TransactionSucceeded, next.get("succeeded").Status)
	tx := next.get("timeout_late")
	require.Equal(t, errcodes.FailureTimeout, tx.Code)
	require.Equal(t, noon.Add(time.Hour), tx.LateAt)
	require.Equal(t, noon, tx.CreatedAt, "not opened again")
	require.Empty(t, next.going())
	require.Equal(t, []string{authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment}, next.kinds("timeout_late"))
}

// Run advances the plays and ignores those that are over.
func TestPlaysContinueWithoutRequests(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	s := onStage(t, func(store ports.TransactionStore) ports.TransactionStore {
		return &spied{TransactionStore: store, read: func(string) error { reads.Add(1); return nil }}
	})
	s.get("pending")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for range int(5*time.Second/sandboxEvery) - 1 {
		s.clock.BlockUntil(1)
		s.clock.Advance(sandboxEvery)
	}
	s.clock.BlockUntil(1)
	require.Equal(t, ports.TransactionSucceeded, s.seen("succeeded").Status)
	require.Equal(t, noon.Add(2*time.Second), s.seen("timeout_late").EndedAt)
	require.Zero(t, s.seen("timeout_late").LateAt, "a quarter of a second too early")
	s.clock.Advance(sandboxEvery)
	s.clock.BlockUntil(1)
	require.Equal(t, noon.Add(5*time.Second), s.seen("timeout_late").LateAt)
	require.Empty(t, s.going())
	before := reads.Load()
	s.clock.Advance(sandboxEvery)
	s.clock.BlockUntil(1)
	require.Equal(t, before, reads.Load(), "nothing is asked for plays that are over")
	cancel()
	require.ErrorIs(t, await(t, "end", ended), context.Canceled)
	require.Empty(t, s.log.String())
}

// spied is a store that fails when its spies return an error.
type spied struct {
	ports.TransactionStore

	read, save func(id string) error
}

func (s *spied) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if s.read != nil {
		if err := s.read(id); err != nil {
			return ports.Transaction{}, err
		}
	}
	return s.TransactionStore.Transaction(ctx, owner, id)
}

func (s *spied) Save(ctx context.Context, change ports.TransactionChange) error {
	if s.save != nil {
		if err := s.save(change.Transaction.ID); err != nil {
			return err
		}
	}
	return s.TransactionStore.Save(ctx, change)
}

// The other process has another clock, so the second one finds other times and accepts
// them.
func TestPlaysOpenedByAnotherProcessAreAccepted(t *testing.T) {
	t.Parallel()
	first := onStage(t, plain)
	meanwhile := sync.OnceFunc(func() { first.get("pending") })
	second := staged(t, first.store, func(store ports.TransactionStore) ports.TransactionStore {
		return &spied{TransactionStore: store, save: func(string) error { meanwhile(); return nil }}
	})
	second.at(time.Second)
	require.Equal(t, ports.TransactionPending, second.get("timeout_late").Status)
	require.Equal(t, noon.Add(2*time.Second), second.get("timeout_late").RespondBy, "the first one's")
	second.at(2 * time.Second)
	require.Equal(t, errcodes.FailureTimeout, second.get("timeout_late").Code)
	require.Equal(t, []string{authstate.EventOpened, authstate.EventFailed}, second.kinds("timeout_late"))
}

// Each play opens and ends once.
func TestConcurrentRequestsOpenEachPlayOnce(t *testing.T) {
	t.Parallel()
	s := onStage(t, plain)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			play := plays[i%len(plays)]
			tx, err := s.Get(t.Context(), "acme", sandboxPrefix+play.id)
			if err != nil || tx.Owner != "acme" {
				t.Errorf("%s: %v", play.id, err)
			}
			s.clock.Advance(time.Millisecond)
		})
	}
	all.Wait()
	require.Equal(t, []string{"acme"}, s.going())
	require.Equal(t, []string{authstate.EventOpened, authstate.EventFailed}, s.kinds("failed"))
}

// The client gets the error, and the next round retries without a request.
func TestAFailedPlayIsRetried(t *testing.T) {
	t.Parallel()
	for _, play := range []string{"pending", "timeout_late", "failed"} { // the last, the first and one to open
		t.Run(play, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int64
			left.Store(1)
			if play == "failed" {
				left.Store(2) // the second save is its end
			}
			s := onStage(t, func(store ports.TransactionStore) ports.TransactionStore {
				return &spied{TransactionStore: store, save: func(id string) error {
					if id == sandboxPrefix+play && left.Add(-1) == 0 {
						return errcodes.New(errcodes.StorageUnavailable, "")
					}
					return nil
				}}
			})
			_, err := s.Get(t.Context(), "acme", sandboxPrefix+play)
			require.ErrorIs(t, err, errcodes.StorageUnavailable)
			s.at(sandboxEvery)
			s.tick(t.Context())
			for _, p := range plays {
				require.False(t, s.seen(p.id).CreatedAt.IsZero(), "%s is open", p.id)
			}
			require.Equal(t, ports.TransactionErrored, s.seen("errored").Status)
			require.Equal(t, ports.TransactionFailed, s.seen("failed").Status)
			require.Equal(t, []string{authstate.EventOpened, authstate.EventFailed}, s.kinds("failed"))
		})
	}
}

// The failure is logged once per round.
func TestAFailedRoundIsRetried(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	s := onStage(t, func(store ports.TransactionStore) ports.TransactionStore {
		return &spied{TransactionStore: store, read: func(string) error {
			if down.Load() {
				return errcodes.New(errcodes.StorageUnavailable, "")
			}
			return nil
		}}
	})
	s.get("pending")
	s.at(5 * time.Second)
	down.Store(true)
	s.tick(t.Context())
	require.Equal(t, 1, bytes.Count(s.log.Bytes(), []byte("level=WARN")), s.log)
	_, err := s.Get(t.Context(), "acme", sandboxPrefix+"pending")
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	down.Store(false)
	s.tick(t.Context())
	require.Equal(t, noon.Add(5*time.Second), s.seen("timeout_late").LateAt)
	require.Empty(t, s.going())

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s.log.Reset()
	s.owners["acme"] = true
	s.service = onStage(t, func(store ports.TransactionStore) ports.TransactionStore {
		return &spied{TransactionStore: store, read: func(string) error { return cancelled.Err() }}
	}).service
	s.tick(cancelled)
	require.Empty(t, s.log.String(), "a stop is nothing to warn of")
}

// A transaction of the client begins nothing, and each client has its own plays (I31).
func TestPlaysBeginWithTheFirstRequest(t *testing.T) {
	t.Parallel()
	s := onStage(t, plain)
	for _, id := range []string{"order-1", "tx_sandboxpending", "TX_SANDBOX_pending", "x" + sandboxPrefix + "pending", ""} {
		_, err := s.Get(t.Context(), "acme", id)
		require.ErrorIs(t, err, errcodes.NotFound, id)
	}
	require.Empty(t, s.going())
	require.Empty(t, s.kinds("pending"))
	s.get("pending")
	_, err := s.service.Get(t.Context(), "beta", sandboxPrefix+"pending")
	require.ErrorIs(t, err, errcodes.NotFound)
	s.at(time.Second)
	_, err = s.Get(t.Context(), "beta", sandboxPrefix+"none")
	require.ErrorIs(t, err, errcodes.NotFound, "no play, but the others begin")
	tx, err := s.service.Get(t.Context(), "beta", sandboxPrefix+"pending")
	require.NoError(t, err)
	require.Equal(t, noon.Add(time.Second), tx.CreatedAt)
	require.Equal(t, noon, s.get("pending").CreatedAt)
	require.ElementsMatch(t, []string{"acme", "beta"}, s.going())
}
