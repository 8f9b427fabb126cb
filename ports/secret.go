package ports

import "context"

// SecretStore stores the secrets that an installation generates because they are not
// configured, and that all its processes share.
type SecretStore interface {
	// Secret returns the secret with the name (1 to [MaxSecretName] bytes). The first
	// call for a name stores and returns fresh ([MinSecret] to [MaxSecret] bytes). All
	// later or concurrent calls, in any process, return the same secret.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}

// Sealed is encrypted data with the id of its key. The zero Sealed contains no data.
type Sealed struct {
	KeyID string
	Data  []byte // nonce, ciphertext and tag, in the sealer's own format
}

// Sealer encrypts personal data before it is stored. It is safe for concurrent use.
type Sealer interface {
	// Seal encrypts plain and binds it to aad: Open fails with another aad. Each call
	// returns different bytes, also for the same text. Seal retains neither slice.
	Seal(ctx context.Context, aad, plain []byte) (Sealed, error)

	// Open decrypts data that was sealed with aad. It returns [errcodes.KeyUnknown]
	// if the sealer does not have the key any more, and [errcodes.CorruptRecord] if
	// the data were altered or aad is another. Errors reveal nothing about the data.
	Open(ctx context.Context, aad []byte, sealed Sealed) ([]byte, error)

	// Digest returns a keyed digest, the same for the same data and key. It reveals
	// nothing without the key. It changes when the sealer's first key changes.
	Digest(data []byte) [32]byte
}
