package ports

import (
	"context"
	"time"
)

// CachedAnswer is a provider's answer in the cache.
type CachedAnswer struct {
	Key       [32]byte  // [Sealer.Digest] of an owner and an account: without the sealer's key it reveals nothing
	Provider  string    // the name of the connector that answered
	At        time.Time // when it answered
	ExpiresAt time.Time // the answer is stale from this instant on
	Sealed    Sealed    // the [Answer], bound to the owner and Key
}

// AnswerCache stores providers' answers about accounts, never the result of comparing
// one caller's name. Its claims let one process at a time ask a provider about an
// account.
type AnswerCache interface {
	// Answer returns the answer stored under the key, also when it is stale. It
	// returns [errcodes.NotFound] if the key has no answer.
	Answer(ctx context.Context, key [32]byte) (CachedAnswer, error)

	// PutAnswer stores an answer under its Key and replaces an earlier one.
	PutAnswer(ctx context.Context, answer CachedAnswer) error

	// Claim lets the holder (1 to [MaxHolder] bytes) ask a provider about the key
	// until the given instant, and reports whether the holder has the claim. It
	// returns false if another holder's claim lasts beyond now. A holder may renew
	// its own claim. Claims and answers do not affect each other.
	Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error)

	// Release ends the holder's claim. If the holder has no claim, Release does
	// nothing and returns nil.
	Release(ctx context.Context, key [32]byte, holder string) error

	// PurgeAnswers removes up to n answers (1 to [MaxPage]) with ExpiresAt at or
	// before the instant, and claims that ended before it. It returns the number
	// of answers removed.
	PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error)
}
