package memory

import (
	"bytes"
	"context"

	"github.com/corridor-go/corridor/ports"
)

// secrets implements ports.SecretStore.
type secrets struct{ s *Store }

func (v secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if err := ports.CheckSecret(name, fresh); err != nil {
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
