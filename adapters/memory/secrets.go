package memory

import (
	"bytes"
	"context"
)

// secrets is the store as a ports.SecretStore.
type secrets struct{ s *Store }

func (v secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if err := within(len(name), 1, 64, "the length of a secret's name"); err != nil {
		return nil, err
	}
	if err := within(len(fresh), 16, 1024, "the length of a secret"); err != nil {
		return nil, err
	}
	if err := v.s.writing(ctx); err != nil {
		return nil, err
	}
	defer v.s.mu.Unlock()
	if v.s.secrets[name] == nil {
		v.s.secrets[name] = bytes.Clone(fresh)
	}
	return bytes.Clone(v.s.secrets[name]), nil
}
