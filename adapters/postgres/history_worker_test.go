package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

// workerVariable is the environment variable with the job of a TestHistoryWorker process.
const workerVariable = "CORRIDOR_TEST_HISTORY_WORKER"

// historyJob is a worker's configuration.
type historyJob struct {
	Process   int
	DSN       string
	Isolation string // default_transaction_isolation; "" means the server's default
}

// historyOrder is an order to a worker, and its reply the result.
type (
	historyOrder struct {
		Books  []ports.BookKey
		Origin int64 // the monotonic instant at which all clocks show the epoch
		Speed  int64
		Skew   time.Duration // of the process's clock at the start
		Jump   time.Duration // maximum difference from the others when the clock is set later
		Seed   uint64

		Racers  int      // number of clients that only create once
		Clients int      // number of clients with Steps ops each
		Steps   int      // per client
		Read    []string // ids of the first book's locks, to be read in order
	}
	historyReply struct {
		Ops       []lockOp
		Conflicts int64 // version conflicts
	}
)

const (
	historyValidity = time.Minute
	maxSkew         = 290 * time.Second // so two clocks differ by at most ratelock.DefaultMaxClockLead
)

// TestHistoryWorker is the body of the processes that the histories start.
func TestHistoryWorker(t *testing.T) {
	text, ok := os.LookupEnv(workerVariable)
	if !ok {
		return // not started by a history
	}
	var j historyJob
	require.NoError(t, json.Unmarshal([]byte(text), &j))
	pool := connect(t, j.DSN, isolated(j.Isolation))
	store := on(t, pool, nil)
	orders, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o historyOrder
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		require.NoError(t, replies.Encode(newHistoryWorker(t, j.Process, store.RateLocks(), o).work()))
	}
}

// historyWorker is one process with one order.
type historyWorker struct {
	historyOrder
	process   int
	clock     *wildClock
	locks     *ratelock.Service
	conflicts atomic.Int64

	mu  sync.Mutex
	ops []lockOp
	ids map[ports.BookKey][]string // of each book, as returned to the process
}

func newHistoryWorker(tb testing.TB, process int, store ports.RateLockStore, o historyOrder) *historyWorker {
	tb.Helper()
	w := &historyWorker{historyOrder: o, process: process, ids: map[ports.BookKey][]string{}}
	w.clock = &wildClock{origin: o.Origin, speed: o.Speed, skew: o.Skew}
	feed := fake.NewFeed(func() time.Time { return w.clock.Now().Add(-48 * time.Hour) }) // old whichever way the clock jumps, and not too old
	for i := range o.Books {
		feed.Offer(o.Books[i].Pair, "18.2500")
	}
	var err error
	w.locks, err = ratelock.New(ratelock.Ports{Locks: witnessedStore{store}, Feed: feed}, ratelock.Terms{MarkupBps: 150, Validity: historyValidity}, &ratelock.Config{
		Clock: w.clock, Hooks: ratelock.Hooks{Conflict: func(context.Context, ports.BookKey) { w.conflicts.Add(1) }},
	})
	require.NoError(tb, err)
	return w
}

func (w *historyWorker) work() historyReply {
	for _, id := range w.Read {
		w.do(lockOp{Kind: opGet, Book: w.Books[0], ID: id})
	}
	var all sync.WaitGroup
	for client := range w.Clients {
		all.Go(func() { w.client(client) })
	}
	for client := range w.Racers {
		all.Go(func() { w.do(lockOp{Client: client, Kind: opCreate, Book: w.Books[0]}) })
	}
	all.Wait()
	return historyReply{Ops: w.ops, Conflicts: w.conflicts.Load()}
}

// client runs its steps, and sets the process's clock now and then.
func (w *historyWorker) client(n int) {
	chance := rand.New(rand.NewPCG(w.Seed, uint64(w.process*100+n)))
	for range w.Steps {
		if chance.IntN(5) == 0 {
			w.clock.jump(time.Duration(chance.Int64N(int64(2*w.Jump))) - w.Jump)
		}
		w.do(w.next(chance, n))
	}
}

func (w *historyWorker) next(chance *rand.Rand, client int) lockOp {
	o := lockOp{Client: client, Kind: opCreate, Book: w.Books[chance.IntN(len(w.Books))]}
	w.mu.Lock()
	defer w.mu.Unlock()
	knownLock := w.ids[o.Book]
	switch dice := chance.IntN(20); {
	case dice < 4:
		o.Kind, o.Left = opCurrent, time.Duration(chance.Int64N(int64(historyValidity)))
	case dice < 11 && len(knownLock) > 0:
		o.Kind = opGet
	case dice < 13 && len(knownLock) > 0:
		o.Kind = opCancel
	}
	if o.Kind == opGet || o.Kind == opCancel {
		o.ID = knownLock[max(0, len(knownLock)-1-chance.IntN(6))]
	}
	return o
}

// do makes one call and records it.
func (w *historyWorker) do(o lockOp) {
	o.Process = w.process
	ctx := context.WithValue(context.Background(), witnessKey{}, &o)
	var err error
	o.Call = monotonic()
	switch o.Kind {
	case opCreate:
		o.Lock, o.Minted, err = w.locks.Create(ctx, o.Book.Owner, o.Book.Pair)
	case opCurrent:
		o.Lock, _, err = w.locks.Current(ctx, o.Book.Owner, o.Book.Pair, o.Left)
	case opGet:
		o.Lock, err = w.locks.Get(ctx, o.Book.Owner, o.ID)
	case opCancel:
		o.Lock, err = w.locks.Cancel(ctx, o.Book.Owner, o.ID)
	}
	o.Return, o.AsOf, o.Code = monotonic(), o.Lock.AsOf, errcodes.Of(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ops = append(w.ops, o)
	if id := o.Lock.ID; id != "" && (o.Kind == opCreate || o.Kind == opCurrent) {
		w.ids[o.Book] = append(w.ids[o.Book], id)
	}
}
