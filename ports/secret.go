package ports

import "context"

// SecretStore keeps secrets that the installation makes for itself and all its
// processes share, where none is configured.
type SecretStore interface {
	// Secret gives the secret of that name (1 to [MaxSecretName] bytes). The first call for
	// a name stores fresh ([MinSecret] to [MaxSecret] bytes) and gives it; all later ones, of
	// any process, give that one. Racers get the same.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}
