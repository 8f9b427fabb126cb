package ports

import "context"

// SecretStore keeps secrets that the installation makes for itself and all its
// processes share, where none is configured.
type SecretStore interface {
	// Secret gives the secret of that name (1 to 64 bytes). The first call for
	// a name stores fresh (16 to 1,024 bytes) and gives it; all later ones, of
	// any process, give that one. Racers get the same.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}
