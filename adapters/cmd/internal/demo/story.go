package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// Run runs the demo and prints it to out. All printed values come from the services; an
// unexpected value is an error.
func Run(ctx context.Context, out io.Writer) error {
	s, err := newStory(ctx, out)
	if err != nil {
		return err
	}
	return errors.Join(s.play(
		s.twoLocks, s.expiry, s.drift,
		s.payee, s.anotherName, s.wrongCheckDigit, s.slowBank,
		s.wrongPIN, s.lateMoney, s.unmatched,
		s.told,
	), s.accounts.Stop(ctx))
}

// play calls the chapters until one fails.
func (s *story) play(chapters ...func()) error {
	for _, chapter := range chapters {
		if s.err == nil {
			chapter()
		}
	}
	return s.err
}

// story is the state of the demo.
type story struct {
	ctx      context.Context //nolint:containedctx // one story, one context
	out      io.Writer
	clock    *demoClock
	feed     *sandbox.Feed
	store    *memory.Store
	locks    *ratelock.Service
	first    ports.RateLock
	second   ports.RateLock
	accounts *validation.Service
	payments *authstate.Service
	lookups  atomic.Int64 // number of connector calls
	slow     string       // id of the pending validation
	err      error
}

const shop = "demo-shop"

var usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}

func newStory(ctx context.Context, out io.Writer) (*story, error) {
	s := &story{ctx: ctx, out: out, clock: newDemoClock()}
	s.clock.Set(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC))
	var err error
	if s.feed, err = sandbox.New(&sandbox.Config{Clock: s.clock}); err != nil {
		return nil, err
	}
	if s.store, err = memory.New(nil); err != nil {
		return nil, err
	}
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	if s.locks, err = ratelock.New(ratelock.Ports{Locks: s.store.RateLocks(), Feed: s.feed}, terms, &ratelock.Config{Clock: s.clock}); err != nil {
		return nil, err
	}
	s.payments, err = authstate.New(authstate.Ports{Transactions: s.store.Transactions(), Work: s.store.Work()}, authstate.Policy{}, &authstate.Config{Clock: s.clock})
	if err != nil {
		return nil, err
	}
	s.accounts, err = s.newAccounts(validation.Policy{AnswerTTL: 24 * time.Hour})
	return s, err
}

func (s *story) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.out, format+"\n", args...)
	}
}

// expect fails the demo if a value is not the expected one.
func (s *story) expect(what string, got, want any) {
	if s.err == nil && got != want {
		s.err = fmt.Errorf("the demo failed: %s is %v, want %v", what, got, want)
	}
}

func (s *story) must(err error) {
	s.err = cmp.Or(s.err, err)
}

func (s *story) create() (ports.RateLock, bool) {
	l, minted, err := s.locks.Create(s.ctx, shop, usdzar)
	s.must(err)
	return l, minted
}

func (s *story) get(id string) ports.RateLock {
	l, err := s.locks.Get(s.ctx, shop, id)
	s.must(err)
	return l
}

func (s *story) twoLocks() {
	var minted bool
	s.first, minted = s.create()
	s.expect("minted", minted, true)
	s.printf("A shop prices in %s and collects %s. It locks a rate for a day:", s.first.Base, s.first.Quote)
	s.printf("  %s on the market plus %d bps (1 bps is 0.01 %%) is %s %s for 1 %s.",
		s.first.MidRate, s.first.MarkupBps, s.first.AllInRate, s.first.Quote, s.first.Base)
	s.basket()
	s.clock.Add(23 * time.Hour)
	s.second, minted = s.create()
	s.expect("minted", minted, true)
	s.expect("the first lock", s.get(s.first.ID).Status, ports.LockActive)
	third, minted := s.create()
	s.expect("minted", minted, false)
	s.expect("the returned lock", third.ID, s.second.ID)
	s.printf("An hour before the end it locks the next rate. The first stays %s for checkouts in progress.", s.get(s.first.ID).Status)
}

func (s *story) basket() {
	rate, err := s.locks.Use(s.ctx, shop, s.first.ID, usdzar)
	s.must(err)
	due, err := rate.ToQuoteText("49.99", ports.RoundHalfUp)
	s.must(err)
	s.printf("  A basket of 49.99 %s costs %s %s, whatever the market does.", s.first.Base, due, s.first.Quote)
	back, err := rate.ToBaseText(due, ports.RoundHalfUp)
	s.must(err)
	s.expect("the amount converted back", back, "49.99")
}

func (s *story) expiry() {
	s.clock.Add(time.Hour)
	l := s.get(s.first.ID)
	s.expect("the first lock", l.Status, ports.LockExpired)
	s.clock.Add(-2 * time.Hour)
	again := s.get(s.first.ID)
	s.expect("the first lock", again.Status, ports.LockExpired)
	s.printf("A day has passed: the first lock is %s. It stays %s if the clock jumps back two hours.", l.Status, again.Status)
	s.clock.Add(2 * time.Hour)
}

func (s *story) drift() {
	const moved = "16.8000"
	was := s.second.MidRate
	look := func(mid string) {
		s.must(s.feed.Set(usdzar, mid))
		s.clock.Add(2 * time.Second)
		s.must(s.locks.Drift(s.ctx, s.clock.Now()))
	}
	look(moved)
	look(was)
	l := s.get(s.second.ID)
	s.expect("the second lock", l.Status, ports.LockActive)
	s.printf("The market shows %s for one moment. One price proves nothing: the second lock stays %s.", moved, l.Status)
	look(moved)
	look(moved)
	l = s.get(s.second.ID)
	s.expect("the second lock", l.Status, ports.LockCancelled)
	s.expect("the reason", l.CancellationReason, ports.CancelledMarketDrift)
	s.printf("Then it stays at %s, %d bps away; the shop tolerates %d. The lock is %s,", l.ObservedMid, l.DeviationBps, l.ToleranceBps, l.Status)
	next, minted := s.create()
	s.expect("minted", minted, true)
	s.printf("  because of %s, and the next one has the rate %s.", l.CancellationReason, next.AllInRate)
}

// told reads the events in the order of the saves and prints how many of each kind there are.
func (s *story) told() {
	want := []string{
		ratelock.EventMinted, ratelock.EventMinted, ratelock.EventExpired, ratelock.EventCancelled, ratelock.EventMinted,
		validation.EventEnded, validation.EventEnded, validation.EventEnded, validation.EventEnded,
		validation.EventPending, validation.EventEnded,
		authstate.EventOpened, authstate.EventFailed, authstate.EventOpened, authstate.EventErrored,
		authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment,
		report.EventCreated, report.EventCompleted,
	}
	counts := map[string]int{}
	for len(want) > 0 && s.err == nil {
		events, err := s.store.Outbox().Claim(s.ctx, s.clock.Now(), time.Minute, 1) // one at a time: in the order of the saves
		s.must(err)
		if len(events) == 0 {
			s.must(errors.New("the demo failed: events are missing"))
		}
		for _, e := range events {
			s.expect("the event", e.Kind, want[0])
			want = want[1:]
			subject, _, _ := strings.Cut(e.Kind, ".")
			counts[subject]++
			s.must(s.store.Outbox().Ack(s.ctx, e))
		}
	}
	s.printf("\nEvery change was stored together with its event: %s.", list(counts))
	s.printf("Next: corridor serve --sandbox")
}

// list returns the counts as "2 apples, 3 pears", in the order of their names.
func list(counts map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(all, ", ")
}
