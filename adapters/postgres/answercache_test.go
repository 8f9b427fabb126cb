package postgres_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Eight holders of two processes race for keys that are free, that another holder's
// expired claim is on, and that another still holds.
func TestOneOfSeveralHoldersGetsAClaim(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			caches := []ports.AnswerCache{
				storeAt(t, dsn, level).Answers(), storeAt(t, dsn, level).Answers(),
			}
			for round := range rounds(8) {
				mustClaim(t, caches[0], [32]byte{byte(round), 1}, "lapsed", epoch.Add(time.Second))
				mustClaim(t, caches[0], [32]byte{byte(round), 2}, "live", epoch.Add(2*time.Second))
			}
			var won [8][]bool
			for i := range won {
				won[i] = make([]bool, 3*rounds(8))
			}
			var g errgroup.Group
			for i := range won {
				g.Go(func() error { return claimEach(t.Context(), caches[i%2], strconv.Itoa(i), won[i]) })
			}
			require.NoError(t, g.Wait())
			for n := range won[0] {
				winners := 0
				for i := range won {
					if won[i][n] {
						winners++
					}
				}
				require.Equal(t, []int{1, 1, 0}[n%3], winners)
			}
		})
	}
}

func mustClaim(tb testing.TB, cache ports.AnswerCache, key [32]byte, holder string, until time.Time) {
	tb.Helper()
	won, err := cache.Claim(tb.Context(), key, holder, epoch, until)
	require.NoError(tb, err)
	require.True(tb, won)
}

func claimEach(ctx context.Context, cache ports.AnswerCache, holder string, won []bool) (err error) {
	for n := range won {
		key := [32]byte{byte(n / 3), byte(n % 3)}
		if won[n], err = cache.Claim(ctx, key, holder, epoch.Add(time.Second), epoch.Add(time.Minute)); err != nil {
			return err
		}
	}
	return nil
}

// A claim waits for another one that is not committed: the row as that leaves it
// decides.
func TestAClaimThatWaitsForAnother(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]bool{"COMMIT": false, "ROLLBACK": true} {
		for _, there := range []bool{false, true} {
			t.Run(end+" there="+strconv.FormatBool(there), func(t *testing.T) {
				t.Parallel()
				dsn := emptied(t)
				cache := open(t, dsn, nil).Answers()
				if there {
					_, err := cache.Claim(t.Context(), [32]byte{}, "lapsed", epoch, epoch)
					require.NoError(t, err)
				}
				other := holding(t, dsn, `INSERT INTO corridor.answer_claims VALUES (decode(repeat('00', 32), 'hex'), 'other', '2030-01-01')
					ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until`)
				won := make(chan bool, 1)
				go func() {
					has, err := cache.Claim(context.WithoutCancel(t.Context()), [32]byte{}, "h", epoch, epoch.Add(time.Minute))
					won <- has && err == nil
				}()
				other.waitedFor(t)
				other.do(t, end)
				require.Equal(t, want, <-won)
			})
		}
	}
}

// Another process keeps the claim's row locked: a claim that cannot succeed neither
// waits nor writes.
func TestAFailedClaimDoesNotLockOrWrite(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	until := epoch.Add(time.Minute)
	won, err := store.Answers().Claim(t.Context(), [32]byte{}, "a", epoch, until)
	require.NoError(t, err)
	require.True(t, won)

	other := holding(t, dsn, "SELECT FROM corridor.answer_claims FOR UPDATE")
	won, err = store.Answers().Claim(t.Context(), [32]byte{}, "b", until.Add(-time.Millisecond), until)
	require.NoError(t, err)
	require.False(t, won)
	brief := open(t, dsn, &postgres.Config{SkipMigrate: true, Timeout: 50 * time.Millisecond})
	_, err = brief.Answers().Claim(t.Context(), [32]byte{}, "b", until, until.Add(time.Minute))
	requireCode(t, errcodes.OutcomeUnknown, err) // it waited until its timeout
	other.do(t, "COMMIT")
}

// An answer that is replaced while a purge looks for rows has other times when the purge
// reaches it.
func TestAPurgeNeitherWaitsForNorRemovesReplacedAnswers(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	for i := range 3 {
		a := ports.CachedAnswer{Key: [32]byte{byte(i)}, Provider: "paystack", At: epoch, ExpiresAt: epoch}
		require.NoError(t, store.Answers().PutAnswer(t.Context(), a))
		_, err := store.Answers().Claim(t.Context(), a.Key, "h", epoch, epoch.Add(-time.Millisecond))
		require.NoError(t, err)
	}
	other := holding(t, dsn, "UPDATE corridor.cached_answers SET expires_at = '2030-01-01' WHERE get_byte(key, 0) = 0")
	other.do(t, "UPDATE corridor.answer_claims SET until = '2030-01-01' WHERE get_byte(key, 0) = 0")
	purged := make(chan int, 1)
	go func() {
		n, err := store.Answers().PurgeAnswers(context.WithoutCancel(t.Context()), epoch, 10)
		if err != nil {
			n = -1
		}
		purged <- n
	}()
	var n int
	select {
	case n = <-purged:
	case <-time.After(patience):
		t.Error("the purge waits for a row that another has locked")
		other.do(t, "COMMIT")
		n = <-purged
	}
	other.do(t, "COMMIT")
	require.Equal(t, 2, n)
	require.Equal(t, []string{"00"}, column(t, dsn, "SELECT left(key, 2) FROM corridor.readable_cached_answers"))
	require.Equal(t, []string{"00"}, column(t, dsn, "SELECT left(key, 2) FROM corridor.readable_answer_claims"))
}

// Eight purgers of two processes remove exactly what has expired.
func TestConcurrentPurgesRemoveEachRowOnce(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			query(t, dsn, `INSERT INTO corridor.tokens (sha256, secret_sha256, client_id, issued_at, expires_at)
				SELECT sum, sum, '', '2026-01-01', '2026-01-01' FROM generate_series(1, 240) i, decode(lpad(to_hex(i), 64, '0'), 'hex') sum`)
			query(t, dsn, `INSERT INTO corridor.cached_answers SELECT sha256, '', '2026-01-01', '2026-01-01', '', '' FROM corridor.tokens`)
			query(t, dsn, `INSERT INTO corridor.answer_claims SELECT sha256, 'h', '2026-01-01' FROM corridor.tokens`)
			query(t, dsn, `INSERT INTO corridor.validations SELECT sha256, '', 1, '', '', '', NULL, 'verified', '', 'external', NULL,
				false, NULL, 0, '', issued_at, issued_at, issued_at, NULL, issued_at, '', '' FROM corridor.tokens`)
			var purged [8][3]int
			var g errgroup.Group
			for i := range purged {
				g.Go(func() error { return purgeAll(t.Context(), stores[i%2], &purged[i], level != levels[0]) })
			}
			require.NoError(t, g.Wait())
			for i := range purged {
				require.Equal(t, [3]int{30, 30, 30}, purged[i])
			}
			for _, table := range []string{"tokens", "cached_answers", "answer_claims", "validations"} {
				require.Equal(t, []string{"0"}, column(t, dsn, "SELECT count(*)::text FROM corridor."+table), table)
			}
		})
	}
}

// purgeAll purges three times and returns the number of tokens, answers and validations
// that it has removed. Above READ COMMITTED it may get StorageUnavailable.
func purgeAll(ctx context.Context, store *postgres.Store, purged *[3]int, mayBeBusy bool) error {
	purges := []func(context.Context, time.Time, int) (int, error){
		store.Tokens().PurgeTokens, store.Answers().PurgeAnswers, store.Validations().PurgeValidations,
	}
	for done := 0; done < 9; {
		n, err := purges[done%3](ctx, epoch, 10)
		purged[done%3] += n
		switch {
		case err == nil:
			done++
		case !mayBeBusy || errcodes.Of(err) != errcodes.StorageUnavailable:
			return err
		}
	}
	return nil
}

// Another process keeps one of two rows locked.
func TestAPurgeSkipsLockedRows(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	for i := range 2 {
		require.NoError(t, store.Tokens().PutToken(t.Context(), ports.Token{SHA256: [32]byte{byte(i)}, IssuedAt: epoch, ExpiresAt: epoch}, 10))
		r := endedWith(pendingAt("acme", strconv.Itoa(i)), ports.StatusVerified)
		r.PurgeAt = epoch
		saved(t, store, r)
	}
	other := holding(t, dsn, "SELECT FROM corridor.tokens WHERE get_byte(sha256, 0) = 0 FOR UPDATE")
	other.do(t, "SELECT FROM corridor.validations WHERE id = '0' FOR UPDATE")
	for name, purge := range map[string]func(context.Context, time.Time, int) (int, error){
		"tokens": store.Tokens().PurgeTokens, "validations": store.Validations().PurgeValidations,
	} {
		n, err := purge(t.Context(), epoch, 2)
		require.NoError(t, err, name)
		require.Equal(t, 1, n, name)
	}
	other.do(t, "COMMIT")
}
