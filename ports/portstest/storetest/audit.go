package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// AuditTrail checks that a store keeps the audit rows of its writes, and no
// others. It writes through every port that the store has.
func AuditTrail(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, auditChecks, "the harness reads no audit rows", func(s Store) bool { return s.AuditRows != nil })
}

var auditChecks = []storeCheck{
	{"the rows of a change come back as they were saved, in their order", func(k *storeKit) {
		all := variedRows()
		k.eachSave(func(s *auditedSave) {
			for _, n := range []int{0, 1, 2, 3, 4, len(all)} {
				k.mustLeave(fmt.Sprint("a change of ", n), all[:n], func() { k.OK(s.with(k.Context(), fmt.Sprint("id-", n), all[:n]...), "Save") })
			}
			for i, row := range all {
				k.mustLeave("a change of one", all[i:i+1], func() { k.OK(s.with(k.Context(), fmt.Sprint("one-", i), row), "Save") })
			}
		})
		k.succeed(k.auditedWrites())
	}},
	{"AuditRows pages without a gap or a repeat", auditPages},
	{"a page of rows has a bound", func(k *storeKit) {
		for limit, want := range map[int]errcodes.Code{-1: errcodes.InvalidRequest, 0: errcodes.InvalidRequest, 1: "", ports.MaxPage + 1: errcodes.InvalidRequest} {
			k.Case(strconv.Itoa(limit), func() { k.Code(errOf(k.AuditRows(k.Context(), 0, limit)), want, "AuditRows") })
		}
	}},
	{"changing rows outside changes nothing stored", auditNotAliased},
	{"a conflict leaves no row", auditOfConflicts},
	{"a row that no act can have is refused with its write", auditRefused},
	{"a lost acknowledgement loses the rows with the record, or neither", auditOfLostCommit},
	{"a full store keeps no row", func(k *storeKit) {
		k.Need(k.Fill != nil, "Fill")
		k.eachSave(func(s *auditedSave) {
			k.mustLeave("a change that finds no room", nil, func() {
				empty := k.Fill()
				err := s.with(k.Context(), "id", act("stray"))
				empty()
				k.Code(err, errcodes.StorageUnavailable, "Save in a full store")
			})
			k.mustLeave("a change that finds room again", acts("first"), func() { k.OK(s.with(k.Context(), "id", act("first")), "Save") })
		})
	}},
	{"of racers the winner leaves its rows", auditOfRacers},
	// The rows of one change keep their order; those of others may come between them.
	{"changes at once lose no row", func(k *storeKit) {
		k.eachSave(func(s *auditedSave) {
			var want []ports.AuditRow
			got := k.leaves(func() {
				k.RaceOK("Save", func(i int) error { return s.with(k.Context(), fmt.Sprint("id-", i), racerRows(i)...) })
				for i := range kit.Racers {
					want = append(want, racerRows(i)...)
				}
			})
			slices.SortStableFunc(got, func(a, b ports.AuditRow) int { return cmp.Compare(a.Object[1:], b.Object[1:]) })
			k.sameRows(got, want, "changes at once")
		})
	}},
	{"a token that is revoked leaves its row, and an unknown one none", func(k *storeKit) {
		k.Need(k.Tokens != nil, "Tokens")
		have, row := token("have"), act("a token")
		row.Owner = "somebody"
		want := row
		want.Owner = have.ClientID
		k.mustLeave("one token", []ports.AuditRow{want}, func() {
			k.putToken(have)
			k.OK(k.Tokens.Revoke(k.Context(), token("unknown").SHA256, row), "Revoke of an unknown token")
			k.OK(k.Tokens.Revoke(k.Context(), have.SHA256, row), "Revoke")
			k.OK(k.Tokens.Revoke(k.Context(), have.SHA256, row), "Revoke again")
		})
	}},
	{"each event that is replayed or discarded leaves a row", auditOfDeadLetters},
	{"a context that is done gives its own code and leaves no row", func(k *storeKit) {
		writes := k.auditedWrites()
		calls := with(writes, act("stray"))
		calls["AuditRows"] = func(ctx context.Context) error { return errOf(k.AuditRows(ctx, 0, 10)) }
		k.mustLeave("calls with a context that is done", nil, func() { k.doneContexts(calls) })
		k.Passed()
		k.succeed(writes)
	}},
	{"a closed store says so", func(k *storeKit) {
		calls := with(k.auditedWrites(), act("stray"))
		calls["AuditRows"] = func(ctx context.Context) error { return errOf(k.AuditRows(ctx, 0, 10)) }
		k.closed(calls)
	}},
	{"a store that is opened again has its rows", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen: it is not durable")
		k.succeed(k.auditedWrites())
		want := k.trail()
		k.Store = k.Reopen()
		k.Same(k.trail(), want, "the rows after opening again")
		for _, s := range k.saves() {
			k.mustLeave("a "+s.port, acts("later"), func() { k.OK(s.with(k.Context(), "other", act("later")), "Save") })
		}
	}},
}

// anyAct is a row for writes whose audit row does not matter.
var anyAct = ports.AuditRow{At: kit.Epoch, Act: "test.write"}

// act makes the row of an act on the object.
func act(object string) ports.AuditRow {
	return ports.AuditRow{
		At: kit.Epoch, Actor: ports.Actor{Client: "acme", Address: "192.0.2.1", Trace: "trace of " + object},
		Act: "rate_lock.minted", Owner: "acme", Object: object,
	}
}

func acts(objects ...string) []ports.AuditRow {
	var rows []ports.AuditRow
	for _, object := range objects {
		rows = append(rows, act(object))
	}
	return rows
}

// auditedSave saves a new record of the id with what a change carries.
type auditedSave struct {
	port string
	save func(ctx context.Context, id string, events []ports.Event, work []ports.WorkItem, rows []ports.AuditRow) error
	read func(id string) error
}

// with saves a record of the id that brings an event, a work item and the rows.
func (s *auditedSave) with(ctx context.Context, id string, rows ...ports.AuditRow) error {
	name := s.port + " " + id
	return s.save(ctx, id, []ports.Event{kit.Event(name, name)}, []ports.WorkItem{job(name, kit.Epoch)}, rows)
}

func (k *storeKit) saves() []auditedSave {
	var all []auditedSave
	if s := k.RateLocks; s != nil {
		all = append(all, auditedSave{"rate lock", func(ctx context.Context, id string, e []ports.Event, w []ports.WorkItem, rows []ports.AuditRow) error {
			c := mint(ports.Book{Key: keyOf(id)}, activeLock(keyOf(id), "lock "+id, kit.Epoch))
			c.Events, c.Work, c.Audit = e, w, rows
			return s.Save(ctx, c)
		}, func(id string) error { _, _, err := s.Lock(k.Context(), id, "lock "+id); return err }})
	}
	if k.Validations != nil {
		all = append(all, validations.audited(k))
	}
	if k.Transactions != nil {
		all = append(all, transactions.audited(k))
	}
	if k.Reports != nil {
		all = append(all, reports.audited(k))
	}
	return all
}

func (m *records[R]) audited(k *storeKit) auditedSave {
	return auditedSave{m.noun(), func(ctx context.Context, id string, e []ports.Event, w []ports.WorkItem, rows []ports.AuditRow) error {
		return m.write(ctx, k.Store, change[R]{m.open("acme", id), e, w, rows})
	}, func(id string) error { return errOf(m.read(k.Context(), k.Store, "acme", id)) }}
}

func (k *storeKit) eachSave(fn func(s *auditedSave)) {
	for _, s := range k.saves() {
		k.Case(s.port, func() { fn(&s) })
	}
}

// auditedWrites readies the store for one write of each kind, and returns them.
// Each leaves one row when it is made, once.
func (k *storeKit) auditedWrites() map[string]func(ctx context.Context, row ports.AuditRow) error {
	all := map[string]func(ctx context.Context, row ports.AuditRow) error{}
	for _, s := range k.saves() {
		all["Save of a "+s.port] = func(ctx context.Context, row ports.AuditRow) error { return s.with(ctx, "id", row) }
	}
	if k.Clients != nil {
		all["PutClient"] = func(ctx context.Context, row ports.AuditRow) error {
			return k.Clients.PutClient(ctx, client("id"), row)
		}
	}
	if k.Tokens != nil {
		have := token("have")
		k.putToken(have)
		all["Revoke"] = func(ctx context.Context, row ports.AuditRow) error { return k.Tokens.Revoke(ctx, have.SHA256, row) }
	}
	if k.DeadLetters != nil && k.Outbox != nil && k.RateLocks != nil {
		k.bury("replayed", "discarded")
		all["Replay"] = func(ctx context.Context, row ports.AuditRow) error {
			return errOf(k.DeadLetters.Replay(ctx, kit.Epoch, row, "replayed"))
		}
		all["Discard"] = func(ctx context.Context, row ports.AuditRow) error {
			return errOf(k.DeadLetters.Discard(ctx, row, "discarded"))
		}
	}
	return all
}

// with makes calls that all bring the row.
func with(writes map[string]func(ctx context.Context, row ports.AuditRow) error, row ports.AuditRow) map[string]func(ctx context.Context) error {
	calls := map[string]func(ctx context.Context) error{}
	for name, write := range writes {
		calls[name] = func(ctx context.Context) error { return write(ctx, row) }
	}
	return calls
}

// succeed makes every write, of which none was made before: each leaves its row.
func (k *storeKit) succeed(writes map[string]func(ctx context.Context, row ports.AuditRow) error) {
	for name, write := range kit.ByName(writes) {
		rows := k.leaves(func() { k.OK(write(k.Context(), act(name)), name) })
		if len(rows) != 1 || rows[0].Actor != act(name).Actor {
			k.Fatalf("%s leaves the rows %s", name, kit.Short(rows))
		}
	}
}

func (k *storeKit) trail() []ports.AuditRow {
	rows := kit.Got(k.AuditRows(k.Context(), 0, ports.MaxPage)).OK(k, "AuditRows")
	for i := 1; i < len(rows); i++ {
		if rows[i].Seq <= rows[i-1].Seq {
			k.Fatalf("AuditRows: row %d comes behind row %d", rows[i].Seq, rows[i-1].Seq)
		}
	}
	return slices.Clone(rows)
}

// leaves returns the rows that do leaves, without their places, and checks that
// those of before stay as they are.
func (k *storeKit) leaves(do func()) []ports.AuditRow {
	before := k.trail()
	do()
	after := k.trail()
	k.Same(kit.OrNil(after[:min(len(before), len(after))]), kit.OrNil(before), "the rows that were there before")
	for i := range after {
		after[i].Seq = 0
	}
	return after[len(before):]
}

func (k *storeKit) mustLeave(what string, want []ports.AuditRow, do func()) {
	k.sameRows(k.leaves(do), want, what)
}

func (k *storeKit) sameRows(got, want []ports.AuditRow, what string) {
	for i := range min(len(got), len(want)) {
		k.Same(got[i], want[i], fmt.Sprintf("audit row %d of %s", i+1, what))
	}
	k.Same(len(got), len(want), "the number of audit rows of "+what)
}

// variedRows are rows that careless columns, copies and orders damage.
func variedRows() []ports.AuditRow {
	long := strings.Repeat("0123456789abcdef", ports.MaxAuditText/16)
	rows := []ports.AuditRow{
		{At: time.Date(1969, 12, 31, 23, 59, 59, int(999*time.Millisecond), time.UTC), Act: "z"},
		{At: time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC), Act: "y", Actor: ports.Actor{Client: ports.Operator}},
		{At: kit.Epoch, Act: long, Actor: ports.Actor{Client: long, Address: long, Trace: long}, Owner: long + long, Object: long + long},
		act("twice"), act("twice"),
	}
	for i := range kit.Distinct {
		text := func(by int) string { return kit.Distinct[(i+by)%len(kit.Distinct)] }
		rows = append(rows, ports.AuditRow{
			At: kit.Epoch.Add(-time.Duration(i) * time.Millisecond), Actor: ports.Actor{Client: text(0), Address: text(1), Trace: text(2)},
			Act: "act " + text(3), Owner: text(4), Object: text(5),
		})
	}
	return rows
}

func auditPages(k *storeKit) {
	k.Same(len(k.trail()), 0, "the number of rows of an empty store")
	k.eachSave(func(s *auditedSave) { k.OK(s.with(k.Context(), "id", acts("first", "second", "third")...), "Save") })
	all := k.trail()
	for limit := 1; limit < 5; limit++ {
		var after int64
		for rest := all; ; rest = rest[min(limit, len(rest)):] {
			page := kit.Got(k.AuditRows(k.Context(), after, limit)).OK(k, "AuditRows")
			k.Same(kit.OrNil(page), kit.OrNil(rest[:min(limit, len(rest))]), fmt.Sprint("a page of ", limit))
			if len(page) == 0 {
				break
			}
			after = page[len(page)-1].Seq
		}
	}
}

func auditNotAliased(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		in, want := acts("first", "second"), acts("first", "second")
		k.mustLeave("a change, while it is saved", want, func() { k.OK(s.with(k.Context(), "id", in...), "Save") })
		in[0], in[1].Object = in[1], "changed"
		for range 2 {
			got := kit.Got(k.AuditRows(k.Context(), 0, ports.MaxPage)).OK(k, "AuditRows")
			got = got[len(got)-len(want):]
			for i := range got {
				got[i].Seq = 0
			}
			k.sameRows(got, want, "a change, after rows were changed outside")
			got[0], got[1].Object = got[1], "changed"
		}
	})
}

func auditOfConflicts(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		k.OK(s.with(k.Context(), "id", act("first")), "Save")
		k.mustLeave("a save of a taken id", nil, func() {
			k.Code(s.with(k.Context(), "id", acts("stray", "another")...), errcodes.Conflict, "Save")
		})
		k.mustLeave("a change that names an event twice", nil, func() {
			twice := []ports.Event{kit.Event("twice", "lock"), kit.Event("twice", "lock")}
			k.Code(s.save(k.Context(), "other", twice, nil, acts("stray")), errcodes.Conflict, "Save")
		})
		if k.Work != nil {
			k.mustLeave("a save of a work item that is there", nil, func() {
				taken := []ports.WorkItem{job(s.port+" id", kit.Epoch)}
				k.Code(s.save(k.Context(), "other", nil, taken, acts("stray")), errcodes.Conflict, "Save")
			})
		}
		k.Code(s.read("other"), errcodes.NotFound, "reading what was refused")
	})
}

func auditRefused(k *storeKit) {
	writes, long := k.auditedWrites(), strings.Repeat("x", ports.MaxAuditText+1)
	for name, spoil := range kit.ByName(map[string]func(*ports.AuditRow){
		"no act":         func(r *ports.AuditRow) { r.Act = "" },
		"no time":        func(r *ports.AuditRow) { r.At = time.Time{} },
		"a long act":     func(r *ports.AuditRow) { r.Act = long },
		"a long client":  func(r *ports.AuditRow) { r.Actor.Client = long },
		"a long address": func(r *ports.AuditRow) { r.Actor.Address = long },
		"a long trace":   func(r *ports.AuditRow) { r.Actor.Trace = long },
	}) {
		bad := act("stray")
		spoil(&bad)
		k.mustLeave("writes with "+name, nil, func() {
			for write, call := range kit.ByName(with(writes, bad)) {
				k.Case(name+", "+write, func() { k.Code(call(k.Context()), errcodes.InvalidRequest, write) })
			}
			k.eachSave(func(s *auditedSave) {
				k.Code(s.with(k.Context(), "id", act("good"), bad), errcodes.InvalidRequest, "Save")
			})
		})
	}
	k.succeed(writes)
}

func auditOfLostCommit(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	k.eachSave(func(s *auditedSave) {
		rows := acts("first", "second")
		got := k.leaves(func() {
			k.LoseNextCommit()
			k.Code(s.with(k.Context(), "id", rows...), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
		})
		if errcodes.Of(s.read("id")) == errcodes.NotFound {
			k.sameRows(got, nil, "a change that is absent")
			got = k.leaves(func() { k.OK(s.with(k.Context(), "id", rows...), "Save") })
		}
		k.sameRows(got, rows, "a change that is there")
	})
}

func racerRows(i int) []ports.AuditRow {
	return acts(fmt.Sprintf("z%02d", i), fmt.Sprintf("m%02d", i), fmt.Sprintf("a%02d", i))
}

func auditOfRacers(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		var want []ports.AuditRow
		got := k.leaves(func() {
			for i, err := range kit.Race(kit.Racers, func(i int) error { return s.save(k.Context(), "raced", nil, nil, racerRows(i)) }) {
				if err == nil {
					want = append(want, racerRows(i)...)
					continue
				}
				k.Code(err, errcodes.Conflict, "Save by a racer that lost")
			}
		})
		k.Same(len(want), len(racerRows(0)), "the number of rows of winners")
		k.sameRows(got, want, "a race")
	})
}

func auditOfDeadLetters(k *storeKit) {
	k.Need(k.DeadLetters != nil && k.Outbox != nil && k.RateLocks != nil, "DeadLetters, Outbox and RateLocks")
	row, all := act("nothing"), []string{"a", "b", "c", "d\x00\xff"}
	kit.EachOf(k, map[string]func(ids ...string) (int, error){
		"replayed":  func(ids ...string) (int, error) { return k.DeadLetters.Replay(k.Context(), kit.Epoch, row, ids...) },
		"discarded": func(ids ...string) (int, error) { return k.DeadLetters.Discard(k.Context(), row, ids...) },
	}, func(name string, do func(ids ...string) (int, error)) {
		for _, id := range all {
			e := kit.Event(id, "lock of "+id)
			e.Owner = "owner of " + id
			k.carryEvents(e)
		}
		buryAll := func() {
			for _, e := range events.take(k, kit.Epoch, len(all)) {
				k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
			}
		}
		buryAll()
		leaves := func(what string, want []string, ids ...string) {
			got := k.leaves(func() { k.Same(kit.Got(do(ids...)).OK(k, what), len(want), "the number of events "+name) })
			slices.SortFunc(got, func(a, b ports.AuditRow) int { return cmp.Compare(a.Object, b.Object) })
			var rows []ports.AuditRow
			for _, id := range want {
				row := row
				row.Owner, row.Object = "owner of "+id, id
				rows = append(rows, row)
			}
			k.sameRows(got, rows, what)
		}
		leaves("one that is buried and one that is unknown", all[1:2], "b", "b", "unknown")
		leaves("one that is not buried any more", nil, "b")
		leaves("the rest", []string{all[0], all[2], all[3]}, all[3], all[2], all[0])
		buryAll()
		if name == "replayed" {
			leaves("all, since none is named", all)
			for _, e := range events.take(k, kit.Epoch, len(all)) {
				k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
			}
		}
	})
}
