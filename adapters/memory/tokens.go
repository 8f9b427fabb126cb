package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// tokenState keeps tokens by hash and in the order of their expiry.
type tokenState struct {
	byHash map[[32]byte]*ports.Token
	expiry *sorted[*ports.Token]
}

func newTokenState() tokenState {
	return tokenState{
		byHash: map[[32]byte]*ports.Token{},
		expiry: newSorted(func(a, b *ports.Token) int {
			return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), bytes.Compare(a.SHA256[:], b.SHA256[:]))
		}),
	}
}

func (t *tokenState) remove(v *ports.Token) {
	delete(t.byHash, v.SHA256)
	t.expiry.remove(v)
}

// expired returns up to n tokens that expire at or before the instant.
func (t *tokenState) expired(before time.Time, n int) []*ports.Token {
	var found []*ports.Token
	for v := range t.expiry.all() {
		if len(found) == n || v.ExpiresAt.After(before) {
			break
		}
		found = append(found, v)
	}
	return found
}

// of returns the tokens of a client, the oldest first.
func (t *tokenState) of(clientID string) []*ports.Token {
	var found []*ports.Token
	for v := range t.expiry.all() {
		if v.ClientID == clientID {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b *ports.Token) int {
		return cmp.Or(a.IssuedAt.Compare(b.IssuedAt), bytes.Compare(a.SHA256[:], b.SHA256[:]))
	})
	return found
}

// tokens implements ports.TokenStore.
type tokens struct{ s *Store }

func (t tokens) PutToken(ctx context.Context, v ports.Token, keep int) error {
	if err := ports.CheckLimit(keep, ports.MaxPage); err != nil {
		return err
	}
	if err := t.s.writing(ctx); err != nil {
		return err
	}
	defer t.s.mu.Unlock()
	if t.s.tokens.byHash[v.SHA256] != nil {
		return errcodes.New(errcodes.Conflict, "A token with this hash already exists")
	}
	v.IssuedAt, v.ExpiresAt = ports.Millis(v.IssuedAt), ports.Millis(v.ExpiresAt)
	others := t.s.tokens.of(v.ClientID)
	for _, other := range others[:max(len(others)+1-keep, 0)] {
		t.s.tokens.remove(other)
	}
	t.s.tokens.byHash[v.SHA256] = &v
	t.s.tokens.expiry.insert(&v)
	return nil
}

func (t tokens) Token(ctx context.Context, sha256 [32]byte) (ports.Token, error) {
	if err := t.s.reading(ctx); err != nil {
		return ports.Token{}, err
	}
	defer t.s.mu.RUnlock()
	v := t.s.tokens.byHash[sha256]
	if v == nil {
		return ports.Token{}, errcodes.New(errcodes.NotFound, "No such token")
	}
	return *v, nil
}

func (t tokens) Revoke(ctx context.Context, sha256 [32]byte, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	if err := t.s.writing(ctx); err != nil {
		return err
	}
	defer t.s.mu.Unlock()
	if v := t.s.tokens.byHash[sha256]; v != nil {
		t.s.tokens.remove(v)
		audit.Owner = v.ClientID
		t.s.record(audit)
	}
	return nil
}

func (t tokens) RevokeAll(ctx context.Context, clientID string, audit ports.AuditRow) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	if err := t.s.writing(ctx); err != nil {
		return 0, err
	}
	defer t.s.mu.Unlock()
	gone := t.s.tokens.of(clientID)
	for _, v := range gone {
		t.s.tokens.remove(v)
	}
	audit.Owner = clientID
	t.s.record(audit)
	return len(gone), nil
}

func (t tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	if err := t.s.writing(ctx); err != nil {
		return 0, err
	}
	defer t.s.mu.Unlock()
	gone := t.s.tokens.expired(before, n)
	for _, v := range gone {
		t.s.tokens.remove(v)
	}
	return len(gone), nil
}
