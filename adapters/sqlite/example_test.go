package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "corridor.db")

	store, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		panic(err)
	}
	key := ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}
	book, err := store.RateLocks().Book(ctx, key)
	fmt.Println(book.Version, err)

	book.HighWater = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	fmt.Println(store.RateLocks().Save(ctx, ports.RateLockChange{Book: book}))
	err = store.RateLocks().Save(ctx, ports.RateLockChange{Book: book})
	fmt.Println(errcodes.Of(err))
	fmt.Println(store.Close())

	store, err = sqlite.Open(ctx, path, nil)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	book, err = store.RateLocks().Book(ctx, key)
	fmt.Println(book.Version, err)
	// Output:
	// 0 <nil>
	// <nil>
	// conflict
	// <nil>
	// 1 <nil>
}

func ExampleMigrate() {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "corridor.db")

	if err := sqlite.Migrate(ctx, path); err != nil {
		panic(err)
	}
	store, err := sqlite.Open(ctx, path, &sqlite.Config{SkipMigrate: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(store.Ping(ctx), store.Close())
	// Output: <nil> <nil>
}

func ExampleStore_Validations() {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "corridor.db"), nil)
	if err != nil {
		panic(err)
	}
	defer store.Close()

	start := time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	record := ports.ValidationRecord{
		ID: "6f1c1f6e-4f5e-4d5b-9d0e-0a4c3f1f3d11", Owner: "acme", Status: ports.StatusPending,
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "058",
		CreatedAt: start, Deadline: start.Add(30 * time.Second), PurgeAt: start.AddDate(0, 0, 30),
	}
	validations := store.Validations()
	fmt.Println(validations.Save(ctx, ports.ValidationChange{Record: record}))

	record.Version = 1
	record.Status, record.Type, record.EndedAt = ports.StatusError, ports.External, record.Deadline
	fmt.Println(validations.Save(ctx, ports.ValidationChange{Record: record}))

	record.Version, record.Status = 2, ports.StatusVerified
	err = validations.Save(ctx, ports.ValidationChange{Record: record})
	fmt.Println(errcodes.Of(err))
	// Output:
	// <nil>
	// <nil>
	// conflict
}
