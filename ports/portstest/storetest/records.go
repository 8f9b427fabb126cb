package storetest

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// records describes a port that stores versioned records, for the checks that
// all such ports share. A record is created open, may change while it is open,
// and ends. Each save compares and swaps the version. R is the record's type.
type records[R any] struct {
	name     string // of the record and of the port's method that reads it: "Validation"
	stem     string // prefix of the ids of the checks' records
	perOwner bool   // two owners may use the same id, and an id may be empty

	write func(ctx context.Context, s Store, c change[R]) error
	read  func(ctx context.Context, s Store, owner, id string) (R, error)
	// calls makes every call of the port except read and write; have is a stored record.
	calls func(s Store, have R) map[string]func(ctx context.Context) error

	head  func(r *R) header
	times func(r *R) []*time.Time
	plain func(r R) R // makes empty lists nil

	open   func(owner, id string) R
	change step[R]   // of an open record
	ends   []step[R] // of an open record
	after  []step[R] // of a record that ended as any of ends, one after the other

	samples func() []R               // records in every state, each with an id of its own
	long    func(r R, long string) R // makes the record's texts long
}

type header struct {
	owner, id *string
	version   *int64
}

// change is a change of one record with its events and work.
type change[R any] struct {
	record R
	events []ports.Event
	work   []ports.WorkItem
	audit  []ports.AuditRow
}

// step changes a record's state. Different i produce different records.
type step[R any] struct {
	name string
	of   func(r R, i int) R
}

func (s step[R]) String() string { return s.name }

func endsAs[R any, S ~string](statuses []S, end func(r R, status S, i int) R) []step[R] {
	var all []step[R]
	for _, status := range statuses {
		all = append(all, step[R]{string(status), func(r R, i int) R { return end(r, status, i) }})
	}
	return all
}

func (m *records[R]) steps() []step[R] {
	end := step[R]{"an end", func(r R, i int) R { return m.ends[i%len(m.ends)].of(r, i) }}
	return append([]step[R]{m.change, end}, m.after...)
}

func (m *records[R]) ended(r R) R { return m.ends[0].of(r, 0) }

func (m *records[R]) at(r R, version int64) R {
	*m.head(&r).version = version
	return r
}

// saved returns r as it is after a save.
func (m *records[R]) saved(r R) R { return m.at(r, *m.head(&r).version+1) }

func (m *records[R]) noun() string { return strings.ToLower(m.name) }

func (m *records[R]) number(i int) string { return m.stem + strconv.Itoa(i) }

func (m *records[R]) id(owner, id string) string {
	return fmt.Sprintf("%s %s of %s", m.noun(), kit.Name(id), kit.Name(owner))
}

func (m *records[R]) idOf(r R) string {
	h := m.head(&r)
	return m.id(*h.owner, *h.id)
}

func (m *records[R]) ids(all []R) []string {
	out := []string{}
	for i := range all {
		out = append(out, *m.head(&all[i]).id)
	}
	return out
}

// save stores the record and returns it as it should be afterwards.
func (m *records[R]) save(k *storeKit, r R) R {
	return m.saveAll(k, change[R]{record: r})
}

func (m *records[R]) saveAll(k *storeKit, c change[R]) R {
	k.OK(m.write(k.Context(), k.Store, c), "Save of "+m.idOf(c.record))
	return m.saved(c.record)
}

func (m *records[R]) has(k *storeKit, want R, what string) {
	h := m.head(&want)
	got := kit.Got(m.read(k.Context(), k.Store, *h.owner, *h.id)).OK(k, fmt.Sprintf("%s: reading %s", what, m.idOf(want)))
	m.same(k, got, want, what)
}

// keeps stores the record, compares it with what is read back, and returns the
// stored record.
func (m *records[R]) keeps(k *storeKit, r R, what string) R {
	r = m.save(k, r)
	m.has(k, r, what)
	return r
}

func (m *records[R]) same(k *storeKit, got, want R, what string) {
	const most = 800
	g, w := reflect.ValueOf(m.plain(got)), reflect.ValueOf(m.plain(want))
	var differ []string
	for i := range g.NumField() {
		if got, want := g.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(got, want) {
			name := g.Type().Field(i).Name
			differ = append(differ, fmt.Sprintf("%s:\n got %.*s\nwant %.*s", name, most, fmt.Sprintf("%#v", got), most, fmt.Sprintf("%#v", want)))
		}
	}
	if len(differ) > 0 {
		k.Fatalf("%s: %s differs in\n%s", what, m.idOf(want), strings.Join(differ, "\n"))
	}
}

func (m *records[R]) sameList(k *storeKit, got, want []R, what string) {
	k.Same(m.ids(got), m.ids(want), what)
	for i := range want {
		m.same(k, got[i], want[i], fmt.Sprint(what, ", number ", i))
	}
}

func (m *records[R]) absent(k *storeKit, owner, id, what string) {
	k.Code(errOf(m.read(k.Context(), k.Store, owner, id)), errcodes.NotFound, fmt.Sprintf("%s: reading %s", what, m.id(owner, id)))
}

// rejected checks that saving the record is a conflict and leaves no trace.
func (m *records[R]) rejected(k *storeKit, r R, what string) {
	k.Code(m.write(k.Context(), k.Store, m.queued(r, "stray")), errcodes.Conflict, fmt.Sprintf("%s: Save of %s", what, m.idOf(r)))
	k.nothingQueued("after a conflict")
}

func (m *records[R]) event(id, record string) ports.Event {
	e := kit.Event(id, record)
	e.Kind = m.noun() + ".updated"
	return e
}

func (m *records[R]) queued(r R, name string) change[R] {
	return change[R]{
		record: r, events: []ports.Event{m.event("event of "+name, *m.head(&r).id)}, work: []ports.WorkItem{job("work of "+name, kit.Epoch)},
	}
}

// checks returns the checks of every port that stores records: a save compares and
// swaps the version, events and work are stored with their change (I32), and
// failures leave nothing behind. open is the adjective for a record that may still
// change, such as "pending", in the names of the checks.
func (m *records[R]) checks(open string, reopened func(k *storeKit)) []storeCheck {
	noun, taken, wins, rule := m.noun(), "a used id", "", ""
	if m.perOwner {
		taken, wins, rule = "an id that the owner has used", " for each owner", " (I27)"
	}
	return []storeCheck{
		{"an unknown " + noun + " is not found", m.unknown},
		{"another owner's " + noun + " is not found", m.foreign},
		{"owners that look alike have different " + noun + "s", m.ownersApart},
		{"owners, ids and texts of 10,000 characters are stored whole", m.longTexts},
		{"a " + open + " " + noun + " may change, and each save raises the version by one", m.versions},
		{taken + " is a conflict and stores nothing", m.taken},
		{"a stale version is a conflict and stores nothing", m.stale},
		{"a version above the stored one is a conflict", m.future},
		{"a change of another owner's " + noun + " is a conflict", m.stolen},
		{"of many concurrent saves of one new id one succeeds" + wins, m.newIDRacers},
		{"of many concurrent saves at one version one succeeds" + rule, m.racers},
		{"saves of different " + noun + "s do not conflict", m.apart},
		{"events can be claimed after their change, in its order", m.events},
		{"work can be claimed after its change", m.work},
		{"of many concurrent saves only the winner's events and work are stored", m.racersQueue},
		{queuedTwice, m.queuedTwice},
		{"a done context returns its code and changes nothing", m.cancelled},
		{"a closed store returns Closed", m.closed},
		{"a lost acknowledgement returns OutcomeUnknown, and the change is whole or absent", m.lost},
		{"a full store returns StorageUnavailable, stores nothing, and works when there is room", m.full},
		{"a reopened store has everything", reopened},
	}
}

func (m *records[R]) unknown(k *storeKit) {
	first := m.number(1)
	m.absent(k, "acme", first, "an empty store")
	m.save(k, m.open("acme", first))
	kit.Each(k, []string{
		m.number(2), "", m.stem, first + " ", strings.ToUpper(first), first + "\x00", first + "\xff", "%", strings.Replace(first, "-", "_", 1),
	}, kit.Name, func(id string) { m.absent(k, "acme", id, "an unknown id") })
}

func (m *records[R]) foreign(k *storeKit) {
	m.save(k, m.open("acme", m.number(1)))
	m.save(k, m.ended(m.open("zenith", m.number(2))))
	kit.Each(k, []string{"zenith", "", "Acme", "acme ", "acme\x00", "acme\xff"}, kit.Name, func(owner string) { m.absent(k, owner, m.number(1), "another owner's id") })
	m.absent(k, "acme", m.number(2), "another owner's id")
}

func (m *records[R]) farTimes(k *storeKit) {
	kit.Each(k, far, day, func(at time.Time) {
		r := m.open("acme", day(at))
		created := step[R]{"a creation", func(r R, _ int) R { return r }}
		for _, s := range append([]step[R]{created}, m.steps()...) {
			r = s.of(r, 0)
			for _, t := range m.times(&r) {
				if !t.IsZero() {
					*t = at
				}
			}
			r = m.keeps(k, r, s.name)
		}
	})
}

// far are times that some columns of times cannot store.
var far = []time.Time{
	time.Date(1969, 12, 31, 23, 59, 59, int(999*time.Millisecond), time.UTC),
	time.Date(1600, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
	time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
}

func day(at time.Time) string { return at.Format(time.DateOnly) }

func (m *records[R]) ownersApart(k *storeKit) {
	saved := map[string]R{}
	for i, owner := range kit.Distinct {
		saved[owner] = m.save(k, m.open(owner, m.number(i)))
	}
	kit.Each(k, kit.Distinct, kit.Name, func(owner string) {
		for other, r := range saved {
			if other != owner {
				m.absent(k, owner, *m.head(&r).id, "an owner that looks like the record's")
			}
		}
		m.has(k, saved[owner], "an owner among look-alikes")
	})
}

func (m *records[R]) idsApart(k *storeKit) { m.alike(k) }

// alike saves a record for each id among look-alikes, reads them, and returns them.
func (m *records[R]) alike(k *storeKit) []R {
	var saved []R
	for i, id := range kit.Distinct {
		if id != "" || m.perOwner {
			saved = append(saved, m.save(k, m.change.of(m.open("acme", id), i)))
		}
	}
	for i, id := range m.ids(saved) {
		k.Case(kit.Name(id), func() { m.has(k, saved[i], "an id among look-alikes") })
	}
	return saved
}

func (m *records[R]) longTexts(k *storeKit) {
	long := strings.Repeat("0123456789", 1000)
	var saved []R
	for _, tail := range []string{"a", "b"} {
		saved = append(saved, m.save(k, m.long(m.open(long+tail, long+"id"+tail), long+tail)))
	}
	for _, r := range saved {
		m.has(k, r, "long texts")
	}
	m.absent(k, long+"a", long+"idb", "a long id of another owner")
}
