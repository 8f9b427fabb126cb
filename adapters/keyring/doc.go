// Package keyring seals personal data with AES-256-GCM (NIST SP 800-38D) under
// keys that the installation configures. The first key seals, all of them open,
// so that a key is replaced without a pause.
//
//	keys, err := keyring.Parse(os.Getenv("CORRIDOR_DATA_KEYS"))
//	if err != nil {
//		return err
//	}
//	ring, err := keyring.New(keys, nil)
//	if err != nil {
//		return err
//	}
//	sealed, err := ring.Seal(ctx, []byte(owner+"/"+id), personal)
//	personal, err = ring.Open(ctx, []byte(owner+"/"+id), sealed)
//
// What a key's secret gives is derived from it by HKDF with SHA-256 (RFC 5869),
// one key for sealing and another for digests (HMAC, RFC 2104), so that neither
// tells of the other. Sealed data are a nonce of 12 random bytes, the
// ciphertext and a tag of 16 bytes; they hide what was sealed, not its length.
//
// Random nonces bound a key to 2^32 seals (SP 800-38D, 8.3), the seals of all
// processes together: 16 months at 100 a second. Rotate before that, and
// whenever a secret may be known: put a new key before the others, drop an old
// one when nothing that it sealed is kept any more. Digests follow the first
// key, so that a cache that is keyed by them starts anew.
package keyring
