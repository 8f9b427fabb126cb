// Package keyring seals personal data with AES-256-GCM (NIST SP 800-38D) under
// configured keys. The first key seals and all keys open, so a key can be replaced
// without downtime.
//
//	keys, err := keyring.Parse(os.Getenv("CORRIDOR_DATA_KEYS"))
//	if err != nil {
//		return err
//	}
//	if err := keyring.Check(ctx, store.Secrets(), keys); err != nil {
//		return err // a key is another one than before under its id
//	}
//	ring, err := keyring.New(keys, nil)
//	if err != nil {
//		return err
//	}
//	sealed, err := ring.Seal(ctx, []byte(owner+"/"+id), personal)
//	personal, err = ring.Open(ctx, []byte(owner+"/"+id), sealed)
//
// HKDF with SHA-256 (RFC 5869) derives two keys from each secret, one for sealing and
// one for digests (HMAC, RFC 2104), and the value of Check, so that none reveals another. Sealed data is a
// nonce of 12 random bytes, the ciphertext and a tag of 16 bytes. It hides what was
// sealed, but not its length.
//
// Random nonces limit a key to 2^32 seals (SP 800-38D, 8.3) by all processes together:
// 16 months at 100 per second. Rotate before that, and whenever a secret may be known:
// put a new key first, and remove an old one when no data sealed with it is left.
// Digests use the first key, so a cache keyed by digests is empty after a rotation.
package keyring
