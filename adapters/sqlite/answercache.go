package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type answers struct{ *Store }

const (
	selectAnswer = `SELECT provider, at, expires_at, key_id, sealed FROM cached_answers WHERE key = ?`

	putAnswer = `INSERT INTO cached_answers (key, provider, at, expires_at, key_id, sealed) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET (provider, at, expires_at, key_id, sealed)
			= (excluded.provider, excluded.at, excluded.expires_at, excluded.key_id, excluded.sealed)`

	purgeAnswers = `DELETE FROM cached_answers WHERE rowid IN (
		SELECT rowid FROM cached_answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`

	// claimFree is true if the holder ?2 may have the claim at ?3.
	claimFree = `(holder = ?2 OR until <= ?3)`

	peekClaim = `SELECT ` + claimFree + ` FROM answer_claims WHERE key = ?1`

	claimKey = `INSERT INTO answer_claims (key, holder, until) VALUES (?1, ?2, ?4)
		ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE ` + claimFree

	releaseKey = `DELETE FROM answer_claims WHERE key = ? AND holder = ?`

	purgeClaims = `DELETE FROM answer_claims WHERE key IN (
		SELECT key FROM answer_claims WHERE until < ? ORDER BY until LIMIT ?)`
)

func (a answers) Answer(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
	fields := func(c *ports.CachedAnswer) []any {
		c.Key = key
		return []any{&c.Provider, instant{&c.At}, instant{&c.ExpiresAt}, &c.Sealed.KeyID, &c.Sealed.Data}
	}
	return one(ctx, a.Store, "No cached answer for this account", fields, selectAnswer, key[:])
}

func (a answers) PutAnswer(ctx context.Context, c ports.CachedAnswer) error {
	return a.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, putAnswer, c.Key[:], c.Provider, c.At.UnixMilli(), c.ExpiresAt.UnixMilli(),
			c.Sealed.KeyID, bytesOf(c.Sealed.Data))
		return err
	}, nil)
}

// Claim reads before it writes: callers that wait for another's claim to end try
// often and must not delay writers.
func (a answers) Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
	if err := ports.CheckHolder(holder); err != nil {
		return false, err
	}
	args := []any{key[:], blob(holder), now.UnixMilli(), until.UnixMilli()}
	var free bool
	err := a.scan(ctx, peekClaim, args[:3], &free)
	if err == nil && !free {
		return false, nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	var changed int64
	err = a.update(ctx, func(ctx context.Context, s *session) (err error) {
		changed, err = s.exec(ctx, claimKey, args...)
		return err
	}, nil)
	return err == nil && changed == 1, err
}

func (a answers) Release(ctx context.Context, key [32]byte, holder string) error {
	if err := ports.CheckHolder(holder); err != nil {
		return err
	}
	return a.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, releaseKey, key[:], blob(holder))
		return err
	}, nil)
}

func (a answers) PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error) {
	return a.purge(ctx, before, n, purgeAnswers, purgeClaims)
}
