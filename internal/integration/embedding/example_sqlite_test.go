package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// prices answers with the price of a basket.
type prices struct{ locks *ratelock.Service }

func (p prices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
	lock, _, err := p.locks.Current(r.Context(), "shop-7", pair, time.Hour)
	if err != nil {
		http.Error(w, errcodes.MessageOf(err), errcodes.StatusOf(err))
		return
	}
	_, _ = fmt.Fprintln(w, "1 USD =", lock.AllInRate, "ZAR")
}

// ignore is the sink of a shop that needs no events.
type ignore struct{}

func (ignore) Deliver(context.Context, ports.Event) error { return nil }

// run is a whole process on SQLite. It serves until ctx is done, and then stops cleanly:
// first the requests, then the background work, then the store.
func run(ctx context.Context, path string, listener net.Listener) error {
	store, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	feed, errFeed := sandbox.New(nil)
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	locks, errLocks := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, nil)
	payments, errPayments := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
	events, errEvents := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: ignore{}}, relay.Policy{}, nil)
	if err := errors.Join(errFeed, errLocks, errPayments, errEvents); err != nil {
		return errors.Join(err, store.Close())
	}
	server := &http.Server{Handler: prices{locks}, ReadHeaderTimeout: 5 * time.Second}

	group, running := errgroup.WithContext(ctx)
	steady := context.WithoutCancel(ctx) // each part ends by its Stop, not in the middle
	group.Go(func() error { return locks.Run(steady) })
	group.Go(func() error { return payments.Run(steady) })
	group.Go(func() error { return events.Run(steady) })
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	<-running.Done() // a signal, or a part that failed
	late, cancel := context.WithTimeout(steady, 10*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(late), locks.Stop(late), payments.Stop(late), events.Stop(late), group.Wait(), store.Close())
}

// A process on SQLite that stops cleanly at Ctrl-C or SIGTERM.
func Example_stop() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		defer stop() // as a signal would
		answer, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			log.Fatal(err)
		}
		defer answer.Body.Close()
		fmt.Println(answer.Status)
	}()
	fmt.Println(run(ctx, filepath.Join(dir, "shop.db"), listener))
	// Output:
	// 200 OK
	// <nil>
}
