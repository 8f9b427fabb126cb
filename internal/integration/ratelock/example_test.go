package ratelock_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// An embedder's own table is in the file of the store. Orders keep their rate, which
// converts their refunds long after the lock has ended.
func Example_ownTable() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "shop.db")
	store := must(sqlite.Open(ctx, path, nil))
	defer store.Close()
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	locks := must(ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: must(sandbox.New(nil))}, terms, nil))

	db := must(sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_txlock=immediate"))
	defer db.Close()
	must(db.ExecContext(ctx, `CREATE TABLE shop_orders (id TEXT PRIMARY KEY, cents INTEGER NOT NULL, rate TEXT NOT NULL)`))

	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
	lock, _, err := locks.Current(ctx, "shop-7", pair, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	rate := must(locks.Use(ctx, "shop-7", lock.ID, pair))
	must(db.ExecContext(ctx, `INSERT INTO shop_orders VALUES ('o-1', 4999, ?)`, rate))

	var order struct {
		cents int64
		rate  ports.LockedRate
	}
	if err := db.QueryRowContext(ctx, `SELECT cents, rate FROM shop_orders WHERE id = 'o-1'`).Scan(&order.cents, &order.rate); err != nil {
		log.Fatal(err)
	}
	fmt.Println("paid", must(order.rate.ToQuote(order.cents, ports.RoundHalfUp)), "cents at", order.rate.AllIn())
	fmt.Println("back", must(order.rate.Refund(0, 10_00, ports.RoundHalfUp)), "cents for 10.00 USD")
	// Output:
	// paid 81977 cents at 16.3986445
	// back 16399 cents for 10.00 USD
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
