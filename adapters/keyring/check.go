package keyring

import (
	"context"
	"crypto/subtle"
	"fmt"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Check compares each key with the first one that was checked under its id in the same
// store, in any process. Call it before a keyring of the keys seals or opens: under a
// wrong key all data of the right one appears damaged.
//
// The store keeps a check value of 32 bytes for each id, under the name "data key check "
// and the id. It is derived from the secret and the id, and reveals nothing about the key.
//
// It returns [errcodes.Configuration] if a key is another one than the store knows, with
// the id in the message, or if [New] would reject the keys, and the errors of
// [ports.SecretStore]. The last key is checked first, because new keys are put in front:
// if an old key is wrong, no value of a new one is stored. The port has no read that does
// not store, so if a key is wrong, values of the keys behind it may have been stored.
func Check(ctx context.Context, secrets ports.SecretStore, keys []Key) error {
	if err := check(keys); err != nil {
		return err
	}
	for _, key := range slices.Backward(keys) {
		value, err := derive(key.Secret, checkLabel+key.ID)
		if err != nil {
			return errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("derive a check value: %w", err))
		}
		known, err := secrets.Secret(ctx, "data key check "+key.ID, value)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(known, value) != 1 {
			return badConfig(fmt.Sprintf(
				"data key %s is not the key that this store knows as %[1]s; use the old key, or a new id for a new key", key.ID))
		}
	}
	return nil
}
