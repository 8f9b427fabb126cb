package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type answers struct{ *Store }

const (
	selectAnswer = `SELECT provider, at, expires_at, key_id, sealed FROM corridor.cached_answers WHERE key = $1`

	// purgeAnswers returns the number of removed answers. It skips locked rows: they
	// are being purged or replaced, and the next purge sees their new times.
	purgeAnswers = `WITH gone AS (DELETE FROM corridor.cached_answers WHERE key = ANY (ARRAY(
			SELECT key FROM corridor.cached_answers WHERE expires_at <= $1
			ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1),
		claims AS (DELETE FROM corridor.answer_claims WHERE key = ANY (ARRAY(
			SELECT key FROM corridor.answer_claims WHERE until < $1
			ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)))
		SELECT count(*) FROM gone`
)

var (
	putAnswer = counted(`INSERT INTO corridor.cached_answers (key, provider, at, expires_at, key_id, sealed)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (key) DO UPDATE SET (provider, at, expires_at, key_id, sealed)
			= (excluded.provider, excluded.at, excluded.expires_at, excluded.key_id, excluded.sealed)`)

	// claimKey reads first: callers that wait for another's claim to end try often
	// and should neither lock its row nor write to the log. The condition of the
	// update decides, because it sees the locked row.
	claimKey = counted(`INSERT INTO corridor.answer_claims AS c (key, holder, until)
		SELECT $1::bytea, $2::bytea, $4::timestamptz
		WHERE NOT EXISTS (SELECT FROM corridor.answer_claims WHERE key = $1 AND holder <> $2 AND until > $3)
		ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE c.holder = excluded.holder OR c.until <= $3`)

	releaseKey = counted(`DELETE FROM corridor.answer_claims WHERE key = $1 AND holder = $2`)
)

func (a answers) Answer(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
	fields := func(c *ports.CachedAnswer) []any {
		c.Key = key
		return []any{&c.Provider, instant{&c.At}, instant{&c.ExpiresAt}, &c.Sealed.KeyID, byteSlice{&c.Sealed.Data}}
	}
	return one(ctx, a.Store, "No cached answer for this account", fields, selectAnswer, key[:])
}

func (a answers) PutAnswer(ctx context.Context, c ports.CachedAnswer) error {
	_, err := a.count(ctx, putAnswer, c.Key[:], c.Provider, millis(c.At), millis(c.ExpiresAt), c.Sealed.KeyID, bytesOf(c.Sealed.Data))
	return err
}

func (a answers) Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
	if err := ports.CheckHolder(holder); err != nil {
		return false, err
	}
	claimed, err := a.count(ctx, claimKey, key[:], []byte(holder), millis(now), millis(until))
	return err == nil && claimed == 1, err
}

func (a answers) Release(ctx context.Context, key [32]byte, holder string) error {
	if err := ports.CheckHolder(holder); err != nil {
		return err
	}
	_, err := a.count(ctx, releaseKey, key[:], []byte(holder))
	return err
}

func (a answers) PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error) {
	return a.purge(ctx, purgeAnswers, before, n)
}
