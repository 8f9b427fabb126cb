package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// records describes a port that stores versioned records, for the checks that
// all such ports share. A record is created open, may change while it is open,
// and ends. Each save compares and swaps the version. R is the port's record.
type records[R any] struct {
	name     string // of the record and of the port's method that reads it: "Validation"
	stem     string // what the ids of the checks' records begin with
	perOwner bool   // two owners may use the same id, and an id may be empty

	write func(ctx context.Context, s Store, c change[R]) error
	read  func(ctx context.Context, s Store, owner, id string) (R, error)
	// calls makes every call of the port but those two; have is stored.
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

// header points to the fields that every record has.
type header struct {
	owner, id *string
	version   *int64
}

// change is a change of one record, with the events and the work that it brings.
type change[R any] struct {
	record R
	events []ports.Event
	work   []ports.WorkItem
}

// step leads from one state of a record to the next. Each i makes another record.
type step[R any] struct {
	name string
	of   func(r R, i int) R
}

// endsAs makes a step of each end.
func endsAs[R any, S ~string](statuses []S, end func(r R, status S, i int) R) []step[R] {
	var all []step[R]
	for _, status := range statuses {
		all = append(all, step[R]{string(status), func(r R, i int) R { return end(r, status, i) }})
	}
	return all
}

// steps are all steps of a record, in their order.
func (m *records[R]) steps() []step[R] {
	end := step[R]{"an end", func(r R, i int) R { return m.ends[i%len(m.ends)].of(r, i) }}
	return append([]step[R]{m.change, end}, m.after...)
}

// ended is r with the first of the ends.
func (m *records[R]) ended(r R) R { return m.ends[0].of(r, 0) }

// at is r at another version.
func (m *records[R]) at(r R, version int64) R {
	*m.head(&r).version = version
	return r
}

// saved is r as a save leaves it.
func (m *records[R]) saved(r R) R { return m.at(r, *m.head(&r).version+1) }

// noun is what messages call a record.
func (m *records[R]) noun() string { return strings.ToLower(m.name) }

// number makes an id.
func (m *records[R]) number(i int) string { return m.stem + strconv.Itoa(i) }

// id names a record in a message.
func (m *records[R]) id(owner, id string) string {
	return fmt.Sprintf("%s %s of %s", m.noun(), kit.Name(id), kit.Name(owner))
}

func (m *records[R]) idOf(r R) string {
	h := m.head(&r)
	return m.id(*h.owner, *h.id)
}

// ids lists the ids of the records.
func (m *records[R]) ids(all []R) []string {
	out := []string{}
	for i := range all {
		out = append(out, *m.head(&all[i]).id)
	}
	return out
}

// save stores the record and returns it as it should be now.
func (m *records[R]) save(k *storeKit, r R) R {
	k.Helper()
	return m.saveAll(k, change[R]{record: r})
}

// saveAll stores the change and returns its record as it should be now.
func (m *records[R]) saveAll(k *storeKit, c change[R]) R {
	k.Helper()
	k.OK(m.write(k.Context(), k.Store, c), "Save of "+m.idOf(c.record))
	return m.saved(c.record)
}

// has reads the record and compares it.
func (m *records[R]) has(k *storeKit, want R, what string) {
	k.Helper()
	h := m.head(&want)
	got, err := m.read(k.Context(), k.Store, *h.owner, *h.id)
	k.OK(err, fmt.Sprintf("%s: reading %s", what, m.idOf(want)))
	m.same(k, got, want, what)
}

// keeps stores the record, compares it with what is read, and returns it as it is
// now.
func (m *records[R]) keeps(k *storeKit, r R, what string) R {
	k.Helper()
	r = m.save(k, r)
	m.has(k, r, what)
	return r
}

// same compares two records, and reports the fields that differ.
func (m *records[R]) same(k *storeKit, got, want R, what string) {
	k.Helper()
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

// sameList compares two lists of records.
func (m *records[R]) sameList(k *storeKit, got, want []R, what string) {
	k.Helper()
	k.Same(m.ids(got), m.ids(want), what)
	for i := range want {
		m.same(k, got[i], want[i], fmt.Sprint(what, ", number ", i))
	}
}

// absent checks that the owner has no record of the id.
func (m *records[R]) absent(k *storeKit, owner, id, what string) {
	k.Helper()
	_, err := m.read(k.Context(), k.Store, owner, id)
	k.Code(err, errcodes.NotFound, fmt.Sprintf("%s: reading %s", what, m.id(owner, id)))
}

// refused checks that a save of the record is a conflict and leaves no trace.
func (m *records[R]) refused(k *storeKit, r R, what string) {
	k.Helper()
	k.Code(m.write(k.Context(), k.Store, m.queued(r, "stray")), errcodes.Conflict, fmt.Sprintf("%s: Save of %s", what, m.idOf(r)))
	k.nothingQueued("after a conflict")
}

// event makes an event of a record.
func (m *records[R]) event(id, record string) ports.Event {
	e := kit.Event(id, record)
	e.Kind = m.noun() + ".updated"
	return e
}

// queued makes a change with an event and a work item.
func (m *records[R]) queued(r R, name string) change[R] {
	return change[R]{r, []ports.Event{m.event("event of "+name, *m.head(&r).id)}, []ports.WorkItem{job("work of "+name, kit.Epoch)}}
}

// The checks of what goes in and comes out.

func (m *records[R]) unknown(k *storeKit) {
	first := m.number(1)
	m.absent(k, "acme", first, "an empty store")
	m.save(k, m.open("acme", first))
	for _, id := range []string{
		m.number(2), "", m.stem, first + " ", strings.ToUpper(first), first + "\x00", first + "\xff", "%", strings.Replace(first, "-", "_", 1),
	} {
		k.Case(kit.Name(id), func() { m.absent(k, "acme", id, "an unknown id") })
	}
}

func (m *records[R]) foreign(k *storeKit) {
	m.save(k, m.open("acme", m.number(1)))
	m.save(k, m.ended(m.open("zenith", m.number(2))))
	for _, owner := range []string{"zenith", "", "Acme", "acme ", "acme\x00", "acme\xff"} {
		k.Case(kit.Name(owner), func() { m.absent(k, owner, m.number(1), "another owner's id") })
	}
	m.absent(k, "acme", m.number(2), "another owner's id")
}

// farTimes moves every time of a record far away, in each of its states.
func (m *records[R]) farTimes(k *storeKit) {
	for _, at := range []time.Time{
		time.Date(1969, 12, 31, 23, 59, 59, int(999*time.Millisecond), time.UTC),
		time.Date(1600, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
		time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
	} {
		k.Case(at.Format(time.DateOnly), func() {
			r := m.open("acme", at.Format(time.DateOnly))
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
}

// The checks of keys: owners and ids are byte strings.

func (m *records[R]) ownersApart(k *storeKit) {
	saved := map[string]R{}
	for i, owner := range kit.Distinct {
		saved[owner] = m.save(k, m.open(owner, m.number(i)))
	}
	for _, owner := range kit.Distinct {
		k.Case(kit.Name(owner), func() {
			for other, r := range saved {
				if other != owner {
					m.absent(k, owner, *m.head(&r).id, "an owner that looks like its own")
				}
			}
			m.has(k, saved[owner], "an owner among look-alikes")
		})
	}
}

func (m *records[R]) idsApart(k *storeKit) { m.alike(k) }

// alike saves a record of each id among look-alikes, reads them, and returns them.
func (m *records[R]) alike(k *storeKit) []R {
	k.Helper()
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

// The checks of versions: a save compares and swaps.

func (m *records[R]) versions(k *storeKit) {
	r := m.open("acme", m.number(1))
	for i, s := range append(slices.Repeat([]step[R]{m.change}, 5), m.steps()[1:]...) {
		k.Same(*m.head(&r).version, int64(i), "the version before "+s.name)
		r = m.keeps(k, s.of(r, i), s.name)
	}
}

func (m *records[R]) taken(k *storeKit) {
	owners := []string{"acme", "zenith"}
	if m.perOwner {
		owners = owners[:1]
	}
	var saved []R
	for _, r := range m.samples() {
		saved = append(saved, m.save(k, r))
	}
	for _, owner := range owners {
		for i, id := range m.ids(saved) {
			name := owner + " " + id
			if m.perOwner {
				name = id
			}
			k.Case(name, func() {
				again := m.open(owner, id)
				m.refused(k, again, "a new record of a taken id")
				m.refused(k, m.change.of(again, 1), "another new record of a taken id")
				m.refused(k, m.ended(m.change.of(again, 1)), "a new and ended record of a taken id")
				m.has(k, saved[i], "the record that has the id")
			})
		}
	}
	for _, id := range m.ids(saved) {
		m.absent(k, "zenith", id, "a new record that was refused")
	}
}

func (m *records[R]) stale(k *storeKit) {
	first := m.save(k, m.open("acme", m.number(1)))
	want := m.save(k, m.change.of(first, 1))
	m.refused(k, m.change.of(first, 2), "a change at a stale version")
	for _, end := range m.ends {
		k.Case(end.name, func() { m.refused(k, end.of(m.change.of(first, 2), 2), "an end at a stale version") })
	}
	m.has(k, want, "after a conflict")
	for _, s := range m.steps()[1:] {
		m.refused(k, m.at(s.of(want, 1), *m.head(&want).version-1), s.name+" at a stale version")
		m.has(k, want, "after a conflict")
		want = m.save(k, s.of(want, 1))
	}
}

func (m *records[R]) future(k *storeKit) {
	want := m.save(k, m.open("acme", m.number(1)))
	m.refused(k, m.saved(want), "a change at a version that is yet to come")
	m.has(k, want, "after a conflict")

	none := m.at(m.open("acme", m.number(2)), 1)
	m.refused(k, none, "a change of a record that was never saved")
	m.refused(k, m.ended(none), "an end of a record that was never saved")
	m.absent(k, "acme", m.number(2), "a record that was never saved")
}

func (m *records[R]) stolen(k *storeKit) {
	want := m.save(k, m.open("acme", m.number(1)))
	for _, owner := range []string{"zenith", "Acme", "acme ", "acme\x00", ""} {
		k.Case(kit.Name(owner), func() {
			stolen := want
			*m.head(&stolen).owner = owner
			m.refused(k, stolen, "a change of another owner's record")
			m.refused(k, m.ended(stolen), "an end of another owner's record")
			m.absent(k, owner, m.number(1), "another owner's id")
		})
	}
	m.has(k, want, "after a conflict")
}

// endsOnce tries every change on every end, and returns what was stored.
func (m *records[R]) endsOnce(k *storeKit) []R {
	k.Helper()
	var all []R
	for _, first := range m.ends {
		all = append(all,
			m.save(k, first.of(m.open("acme", "at once "+first.name), 0)),
			m.save(k, first.of(m.save(k, m.change.of(m.open("acme", "later "+first.name), 0)), 0)))
	}
	for i, id := range m.ids(all) {
		k.Case(id, func() {
			want := all[i]
			m.refused(k, want, "saving an ended record as it is")
			again := m.at(m.open("acme", id), *m.head(&want).version)
			m.refused(k, again, "opening an ended record again")
			m.refused(k, m.change.of(again, 1), "changing an ended record")
			for _, second := range m.ends {
				k.Case("then "+second.name, func() { m.refused(k, second.of(again, 0), "a second end as "+second.name) })
			}
			m.has(k, want, "after a conflict")
		})
	}
	return all
}

// race has racers save at once.
func (m *records[R]) race(k *storeKit, racer func(i int) change[R]) []error {
	return kit.Race(kit.Racers, func(i int) error { return m.write(k.Context(), k.Store, racer(i)) })
}

// winner checks that one racer got through and the rest met a conflict, and
// returns the winner.
func (k *storeKit) winner(errs []error) int {
	k.Helper()
	won := -1
	for i, err := range errs {
		switch {
		case err != nil:
			k.Code(err, errcodes.Conflict, "a racer that lost")
		case won >= 0:
			k.Fatalf("racers %d and %d both won", won, i)
		default:
			won = i
		}
	}
	if won < 0 {
		k.Fatalf("none of %d racers won", len(errs))
	}
	return won
}

// newIDRacers has the racers of two owners create a record of one id.
func (m *records[R]) newIDRacers(k *storeKit) {
	for round := range 8 {
		racer := func(i int) R {
			r := m.change.of(m.open(fmt.Sprint("owner-", i%2), m.number(round)), i)
			if i%4 > 1 {
				r = m.ended(r)
			}
			return r
		}
		errs := m.race(k, func(i int) change[R] { return change[R]{record: racer(i)} })
		if m.perOwner {
			for owner := range 2 {
				var of []error
				for i := owner; i < kit.Racers; i += 2 {
					of = append(of, errs[i])
				}
				m.has(k, m.saved(racer(2*k.winner(of)+owner)), "the winner of an owner's racers")
			}
			continue
		}
		won := k.winner(errs)
		m.has(k, m.saved(racer(won)), "the winner")
		m.absent(k, fmt.Sprint("owner-", (won+1)%2), m.number(round), "an owner whose racers lost")
	}
}

// racers races changes, then each further step.
func (m *records[R]) racers(k *storeKit) {
	r := m.save(k, m.open("acme", m.number(1)))
	for _, s := range append(slices.Repeat([]step[R]{m.change}, 8), m.steps()[1:]...) {
		won := k.winner(m.race(k, func(i int) change[R] { return change[R]{record: s.of(r, i)} }))
		r = m.saved(s.of(r, won))
		m.has(k, r, "the winner of a race for "+s.name)
	}
}

func (m *records[R]) apart(k *storeKit) {
	made := func(i int) R {
		number := i
		if m.perOwner {
			number = i / 3
		}
		return m.open(fmt.Sprint("owner-", i%3), m.number(number))
	}
	for i, err := range m.race(k, func(i int) change[R] { return change[R]{record: made(i)} }) {
		k.OK(err, "one of many saves of different records")
		m.has(k, m.saved(made(i)), "one of many saves of different records")
	}
}
