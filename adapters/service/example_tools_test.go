package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation/market"
)

// The example migrates a store and lists undeliverable events.
func ExampleOpenShared() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "corridor-example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	spec := "sqlite:" + filepath.Join(dir, "corridor.db")

	migrated, err := service.OpenShared(ctx, service.Shipped(), spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("up to date:", migrated.Name == spec, migrated.Close())

	store, err := service.OpenStore(ctx, service.Shipped(), spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	buried, err := store.DeadLetters().Buried(ctx, 0, 10)
	fmt.Println(len(buried), err, store.Close())
	// Output:
	// up to date: true <nil>
	// 0 <nil> <nil>
}

// The name of a store hides its password.
func ExampleOpenStore() {
	_, err := service.OpenStore(context.Background(), service.Shipped(), "mysql://corridor:secret@db.example.com/corridor")
	fmt.Println(err)
	// Output: --store mysql://corridor:xxxxx@db.example.com/corridor: want memory:, sqlite:PATH or postgres://…
}

// The example validates one account without a service.
func ExampleOpenAccounts() {
	ctx := context.Background()
	accounts, err := service.OpenAccounts(ctx, service.Defaults().Accounts, true, service.Shipped())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = accounts.Close(ctx) }()
	v, err := accounts.Validate(ctx, "tool", market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: "0690000032", BankCode: "044",
	})
	fmt.Println(v.Status, v.Type, "by", v.Provider, err) // pay only on verified and external
	// Output: verified external by sandbox <nil>
}

// The example makes one report without a service.
func ExampleNewReports() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "corridor-example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := makeReport(ctx, dir); err != nil {
		fmt.Println(err)
	}
	// Output: COMPLETED
}

func makeReport(ctx context.Context, dir string) error {
	store, err := service.OpenStore(ctx, service.Shipped(), "memory:")
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	files, err := folder.New(dir, nil)
	if err != nil {
		return err
	}
	books, err := sandbox.New(nil)
	if err != nil {
		return err
	}
	reports, err := service.NewReports(service.Shipped(), service.ReportPorts{
		Reports: store.Reports(), Transactions: books.Transactions(), Settlements: books.Settlements(), Files: files,
	}, nil)
	if err != nil {
		return err
	}
	job, err := reports.CreateUnmatched(ctx, "tool", report.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Name: "October", StartDate: "2026-10-01", EndDate: "2026-10-31",
	})
	if err != nil {
		return err
	}
	if err := reports.Tick(ctx, time.Now()); err != nil {
		return err
	}
	job, err = reports.Get(ctx, "tool", job.ID)
	fmt.Println(job.Status)
	return err
}
