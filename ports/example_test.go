package ports_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var (
	ctx    = context.Background()
	usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}
	noon   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func open() *memory.Store {
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	return store
}

// fixedFeed is a complete feed: one pair, always at the same price.
type fixedFeed struct{ clock ports.Clock }

func (f fixedFeed) Pairs(ctx context.Context) (ports.PairSet, error) {
	return ports.NewPairSet(usdzar), ctx.Err()
}

func (f fixedFeed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if pair != usdzar {
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	}
	return ports.Price{Pair: pair, Mid: "18.2500", Source: "fixed", At: f.clock.Now()}, ctx.Err()
}

func ExamplePriceFeed() {
	var feed ports.PriceFeed = fixedFeed{portstest.NewClock(noon)}
	price, err := feed.Mid(ctx, usdzar)
	fmt.Println(price.Mid, price.At.Format(time.Kitchen), err)
	_, err = feed.Mid(ctx, usdzar.Inverse())
	fmt.Println(errcodes.Of(err))
	// Output:
	// 18.2500 12:00PM <nil>
	// pair_not_offered
}

// 100.00 USD were paid, and are refunded in three parts.
func ExampleLockedRate_Refund() {
	rate, err := ports.NewLockedRate(&ports.RateLock{
		ID: "rl_1", Base: "USD", Quote: "ZAR", Status: ports.LockActive,
		MidRate: "16.39864", AllInRate: "16.39864", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour), AsOf: noon,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	paid, err := rate.ToQuote(100_00, ports.RoundHalfUp)
	fmt.Println("paid", paid, err)

	refunded := int64(0)
	for _, amount := range []int64{33_33, 33_33, 33_34} {
		alone, _ := rate.ToQuote(amount, ports.RoundHalfUp)
		back, err := rate.Refund(refunded, amount, ports.RoundHalfUp)
		fmt.Println("back", back, "instead of", alone, err)
		refunded += amount
	}
	// Output:
	// paid 163986 <nil>
	// back 54657 instead of 54657 <nil>
	// back 54656 instead of 54657 <nil>
	// back 54673 instead of 54673 <nil>
}

func ExampleClock() {
	clock := portstest.NewClock(noon)
	timer := clock.After(time.Minute)
	clock.Advance(time.Hour)
	fmt.Println((<-timer).Format(time.Kitchen), clock.Now().Format(time.Kitchen))
	// Output: 12:01PM 1:00PM
}

func ExampleRateLockStore() {
	var store ports.RateLockStore = open().RateLocks()
	key := ports.BookKey{Owner: "shop", Pair: usdzar}
	book, err := store.Book(ctx, key)
	fmt.Println(book.Version, err)

	change := ports.RateLockChange{Book: book}
	fmt.Println(store.Save(ctx, change))
	// The same version again, as if another writer had saved first.
	fmt.Println(errcodes.Of(store.Save(ctx, change)))
	// Output:
	// 0 <nil>
	// <nil>
	// conflict
}

// saved stores a change with an event and a work item.
func saved(store *memory.Store) {
	err := store.RateLocks().Save(ctx, ports.RateLockChange{
		Book:   ports.Book{Key: ports.BookKey{Owner: "shop", Pair: usdzar}},
		Events: []ports.Event{{ID: "ev_1", Kind: "rate_lock.minted", Key: "rl_1", Owner: "shop", At: noon, Data: []byte(`{}`)}},
		Work:   []ports.WorkItem{{ID: "w_1", Kind: "remind", DueAt: noon}},
	})
	if err != nil {
		panic(err)
	}
}

func ExampleOutbox() {
	store := open()
	saved(store)
	events, err := store.Outbox().Claim(ctx, noon, time.Minute, 10)
	fmt.Println(events[0].Kind, events[0].Attempt, err)
	fmt.Println(store.Outbox().Ack(ctx, events[0]))
	// Output:
	// rate_lock.minted 1 <nil>
	// <nil>
}

func ExampleDeadLetters() {
	store := open()
	saved(store)
	events, err := store.Outbox().Claim(ctx, noon, time.Minute, 10)
	fmt.Println(events[0].ID, err)
	fmt.Println(store.Outbox().Bury(ctx, events[0], "410 gone"))

	var letters ports.DeadLetters = store.DeadLetters()
	buried, err := letters.Buried(ctx, 0, 100)
	fmt.Println(buried[0].ID, buried[0].Reason, err)
	// The receiver is back: the event is delivered again.
	row := ports.AuditRow{At: noon, Actor: ports.Actor{Client: ports.Operator}, Act: ports.ActEventReplayed}
	fmt.Println(letters.Replay(ctx, noon, row, buried[0].ID))
	row.Act = ports.ActEventDiscarded
	fmt.Println(letters.Discard(ctx, row, buried[0].ID)) // 0: it is no longer buried
	events, err = store.Outbox().Claim(ctx, noon, time.Minute, 10)
	fmt.Println(events[0].ID, events[0].Attempt, err)
	// Output:
	// ev_1 <nil>
	// <nil>
	// ev_1 410 gone <nil>
	// 1 <nil>
	// 0 <nil>
	// ev_1 1 <nil>
}

func ExampleTransactionStore() {
	var store ports.TransactionStore = open().Transactions()
	tx := ports.Transaction{ID: "tx_1", Owner: "shop", Direction: errcodes.Payin, Status: ports.TransactionPending, CreatedAt: noon}
	fmt.Println(store.Save(ctx, ports.TransactionChange{Transaction: tx}))

	tx, err := store.Transaction(ctx, "shop", "tx_1")
	fmt.Println(tx.Version, tx.Status, err)
	tx.Status, tx.Code, tx.EndedAt = ports.TransactionFailed, errcodes.FailureTimeout, noon.Add(time.Minute)
	fmt.Println(store.Save(ctx, ports.TransactionChange{Transaction: tx}))

	// A debit that arrives late is recorded; the status stays FAILED.
	tx.Version++
	tx.LateAt, tx.LateRaw = noon.Add(time.Hour), ports.RawFailure{Code: "00", Message: "approved"}
	fmt.Println(store.Save(ctx, ports.TransactionChange{Transaction: tx}))
	tx.Version++
	tx.Status, tx.Code = ports.TransactionSucceeded, ""
	fmt.Println(errcodes.Of(store.Save(ctx, ports.TransactionChange{Transaction: tx})))
	// Output:
	// <nil>
	// 1 PENDING <nil>
	// <nil>
	// <nil>
	// conflict
}

func ExampleReportStore() {
	var store ports.ReportStore = open().Reports()
	job := ports.ReportJob{
		ID: "rep_1", Owner: "shop", Kind: ports.ReportTransactions, Status: ports.ReportRunning, CreatedAt: noon, Total: -1,
		Request: ports.ReportRequest{MerchantID: "m_1", Name: "November", From: noon, To: noon, Columns: []string{"amount"}, Format: "csv"},
	}
	fmt.Println(store.Save(ctx, ports.ReportChange{Job: job}))

	// A process claims the job for a minute and dies. Then another process claims it.
	dead, err := store.ClaimReport(ctx, "process 1", noon, time.Minute)
	fmt.Println(dead.ID, dead.Attempts, err)
	_, err = store.ClaimReport(ctx, "process 2", noon, time.Minute)
	fmt.Println(errcodes.Of(err))
	job, err = store.ClaimReport(ctx, "process 2", noon.Add(time.Minute), time.Minute)
	fmt.Println(job.ID, job.Attempts, err)

	// Only the second process can extend its lease.
	dead.LeaseUntil = noon.Add(time.Hour)
	fmt.Println(errcodes.Of(store.Save(ctx, ports.ReportChange{Job: dead})))
	job.Rows, job.LeaseUntil = 100, noon.Add(3*time.Minute)
	fmt.Println(store.Save(ctx, ports.ReportChange{Job: job}))
	job.Version++
	job.Status, job.Reason, job.EndedAt = ports.ReportFailed, string(errcodes.Internal), noon.Add(2*time.Minute)
	fmt.Println(store.Save(ctx, ports.ReportChange{Job: job}))

	expired, err := store.ExpiredReports(ctx, job.EndedAt, 10)
	fmt.Println(len(expired), err, store.RemoveReport(ctx, "shop", "rep_1"))
	// Output:
	// <nil>
	// rep_1 1 <nil>
	// not_found
	// rep_1 2 <nil>
	// conflict
	// <nil>
	// <nil>
	// 1 <nil> <nil>
}

func ExampleWork() {
	store := open()
	saved(store)
	items, err := store.Work().Claim(ctx, "remind", noon, time.Minute, 10)
	fmt.Println(items[0].ID, err)
	fmt.Println(store.Work().Done(ctx, items[0]))
	// Output:
	// w_1 <nil>
	// <nil>
}

// printer is a complete sink.
type printer struct{}

func (printer) Deliver(_ context.Context, e ports.Event) error {
	_, err := fmt.Println(e.Kind, e.Key)
	return err
}

func ExampleEventSink() {
	var sink ports.EventSink = printer{}
	err := sink.Deliver(ctx, ports.Event{Kind: "rate_lock.minted", Key: "rl_1"})
	fmt.Println(err)
	// Output:
	// rate_lock.minted rl_1
	// <nil>
}

func ExampleClientStore() {
	var clients ports.ClientStore = open().Clients()
	secret := sha256.Sum256([]byte("a secret of 128 bits and more"))
	row := ports.AuditRow{At: noon, Actor: ports.ActorOf(ctx), Act: ports.ActClientPut, Owner: "acme", Object: "acme"}
	err := clients.PutClient(ctx, ports.Client{ID: "acme", Secrets: []ports.ClientSecret{{SHA256: secret}}}, row)
	fmt.Println(err)
	_, err = clients.Client(ctx, "Acme")
	fmt.Println(errcodes.Of(err))
	// Output:
	// <nil>
	// not_found
}

func ExampleTokenStore() {
	var tokens ports.TokenStore = open().Tokens()
	hash := sha256.Sum256([]byte("a token"))
	err := tokens.PutToken(ctx, ports.Token{SHA256: hash, ClientID: "acme", IssuedAt: noon, ExpiresAt: noon.Add(time.Hour)}, 10)
	fmt.Println(err)
	fmt.Println(tokens.Revoke(ctx, hash, ports.AuditRow{At: noon, Act: ports.ActTokenRevoked}))
	_, err = tokens.Token(ctx, hash)
	fmt.Println(errcodes.Of(err))
	// Output:
	// <nil>
	// <nil>
	// not_found
}
