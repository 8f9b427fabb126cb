package keyring_test

import (
	"context"
	"fmt"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
)

func ExampleNew() {
	ctx := context.Background()
	old := keyring.Key{ID: "2025", Secret: []byte("thirty-two bytes from /dev/random")[:32]}
	before, err := keyring.New([]keyring.Key{old}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sealed, err := before.Seal(ctx, []byte("acme/validation-1"), []byte("Ada Okafor"))
	if err != nil {
		fmt.Println(err)
		return
	}

	// The next key seals from now on; the old one still opens.
	next := keyring.Key{ID: "2026", Secret: []byte("another thirty-two bytes, as random")[:32]}
	ring, err := keyring.New([]keyring.Key{next, old}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	name, err := ring.Open(ctx, []byte("acme/validation-1"), sealed)
	fmt.Println("sealed by", sealed.KeyID, "and opened:", string(name), err)
	_, err = ring.Open(ctx, []byte("acme/validation-2"), sealed)
	fmt.Println("under another id:", errcodes.Of(err))
	// Output:
	// sealed by 2025 and opened: Ada Okafor <nil>
	// under another id: corrupt_record
}

func ExampleParse() {
	keys, err := keyring.Parse("2026:jWnH3DZ1xWqPFvPnFZ4b8QqkZ6p3mVn0c1n2o5r7tYk=,2025:q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k")
	fmt.Println(keys, err)
	// Output:
	// [key 2026 key 2025] <nil>
}
