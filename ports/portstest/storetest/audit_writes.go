package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// anyAct is an audit row for writes whose row does not matter.
var anyAct = ports.AuditRow{At: kit.Epoch, Act: "test.write"}

// act returns the row of an act on the object.
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

// auditedSave saves a new record with events, work and audit rows.
type auditedSave struct {
	port string
	save func(ctx context.Context, id string, events []ports.Event, work []ports.WorkItem, rows []ports.AuditRow) error
	read func(id string) error
}

// with saves a new record with an event, a work item and the rows.
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

// auditedWrites prepares the store for one write of each kind and returns the
// writes. Each can succeed once and then leaves one row.
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
		all["RevokeAll"] = func(ctx context.Context, row ports.AuditRow) error {
			return errOf(k.Tokens.RevokeAll(ctx, "a client without tokens", row))
		}
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

// with returns the calls, each with the row.
func with(writes map[string]func(ctx context.Context, row ports.AuditRow) error, row ports.AuditRow) map[string]func(ctx context.Context) error {
	calls := map[string]func(ctx context.Context) error{}
	for name, write := range writes {
		calls[name] = func(ctx context.Context) error { return write(ctx, row) }
	}
	return calls
}

// succeed makes every write for the first time and checks that each leaves its row.
func (k *storeKit) succeed(writes map[string]func(ctx context.Context, row ports.AuditRow) error) {
	for name, write := range kit.ByName(writes) {
		rows := k.leaves(func() { k.OK(write(k.Context(), act(name)), name) })
		if len(rows) != 1 || rows[0].Actor != act(name).Actor {
			k.Fatalf("%s left the rows %s", name, kit.Short(rows))
		}
	}
}

func (k *storeKit) trail() []ports.AuditRow {
	rows := kit.Got(k.AuditRows(k.Context(), 0, ports.MaxPage)).OK(k, "AuditRows")
	for i := 1; i < len(rows); i++ {
		if rows[i].Seq <= rows[i-1].Seq {
			k.Fatalf("AuditRows returned row %d after row %d", rows[i].Seq, rows[i-1].Seq)
		}
	}
	return slices.Clone(rows)
}

// leaves returns the rows that do leaves, without their positions, and checks that
// earlier rows do not change.
func (k *storeKit) leaves(do func()) []ports.AuditRow {
	before := k.trail()
	do()
	after := k.trail()
	k.Same(kit.OrNil(after[:min(len(before), len(after))]), kit.OrNil(before), "the earlier rows")
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

// variedRows are rows that careless columns, copying and sorting damage.
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
