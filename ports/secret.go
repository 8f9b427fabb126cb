package ports

import (
	"context"
)

// SecretStore keeps secrets that the installation makes for itself and all its
// processes share, where none is configured.
type SecretStore interface {
	// Secret gives the secret of that name (1 to [MaxSecretName] bytes). The first call for
	// a name stores fresh ([MinSecret] to [MaxSecret] bytes) and gives it; all later ones, of
	// any process, give that one. Racers get the same.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}

// Sealed is encrypted data and the key that it needs.
type Sealed struct {
	KeyID string // "" with Data empty: nothing is sealed
	Data  []byte // nonce, ciphertext and tag, as the sealer packs them
}

// Sealer encrypts personal data before any store sees it. It is safe for
// concurrent use.
type Sealer interface {
	// Seal encrypts plain and binds it to aad: Open with another aad fails.
	// Sealing the same text twice gives different bytes. plain and aad are not
	// kept.
	Seal(ctx context.Context, aad, plain []byte) (Sealed, error)

	// Open gives what was sealed with aad, by any key that the sealer still
	// has. A key that it has no more is errcodes.KeyUnknown; altered data, or
	// another aad, is errcodes.CorruptRecord. No error tells of the data.
	Open(ctx context.Context, aad []byte, sealed Sealed) ([]byte, error)

	// Digest is a keyed digest of data: the same for the same data and key,
	// and of no use to who has not the key. It changes when the first key does.
	Digest(data []byte) [32]byte
}
