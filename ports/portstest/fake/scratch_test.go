package fake_test

import (
	"context"
	"fmt"
	"io"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

func ExampleNewScratch() {
	scratch := fake.NewScratch()
	scratch.Fault = func(method, name string) error {
		if method == "Write" && name == "run2" {
			return errcodes.New(errcodes.StorageUnavailable, "The disk is full")
		}
		return nil
	}
	space, err := scratch.Open(context.Background())
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"run1", "run2"} {
		f, err := space.Create(name)
		if err != nil {
			panic(err)
		}
		_, err = io.WriteString(f, "sorted")
		fmt.Printf("%s %q\n", name, errcodes.Of(err))
		_ = f.Close()
	}
	fmt.Println(space.Close())
	// Output:
	// run1 ""
	// run2 "storage_unavailable"
	// <nil>
}
