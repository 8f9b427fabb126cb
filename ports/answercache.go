package ports

import (
	"context"
	"time"
)

// CachedAnswer is a provider's answer as the cache keeps it, sealed.
type CachedAnswer struct {
	// Key names an account of an owner: a keyed digest, from which nobody without
	// the key learns the account.
	Key       [32]byte
	Provider  string // the connector that gave it
	At        time.Time
	ExpiresAt time.Time // stale from this instant on
	Sealed    Sealed    // the Answer, bound to the owner and the key
}

// AnswerCache keeps what providers said about accounts, never the verdict on
// one caller's name, and lets one of many processes ask at a time.
type AnswerCache interface {
	// Answer gives the answer of the key, also when it is stale. None is
	// errcodes.NotFound.
	Answer(ctx context.Context, key [32]byte) (CachedAnswer, error)

	// PutAnswer stores an answer under its key, in place of an earlier one.
	PutAnswer(ctx context.Context, answer CachedAnswer) error

	// Claim gives the holder (1 to [MaxHolder] bytes) the right to ask about the key,
	// until the instant, and reports whether it has it: unless another holder's
	// claim lasts beyond now. A holder may renew its own. Claims and answers do
	// not touch each other.
	Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error)

	// Release ends the holder's claim; another's, or none, is left alone and is
	// no error.
	Release(ctx context.Context, key [32]byte, holder string) error

	// PurgeAnswers removes up to n answers (1 to [MaxPage]) with ExpiresAt at or
	// before the instant and tells how many, and claims that ended before it.
	PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error)
}
