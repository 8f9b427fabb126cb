package authstate_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// machine drives two services on one store, whose clocks jump in both directions, and a
// model of the rules.
type machine struct {
	transactions ports.TransactionStore
	outbox       ports.Outbox
	clocks       [2]*portstest.Clock
	services     [2]*authstate.Service
	run          int
	model        map[string]*modelled
}

// modelled is the expected state and events of a transaction.
type modelled struct {
	rec    ports.Transaction
	events []string // kind and data
}

func newMachine(t *rapid.T, store storage, run int) *machine {
	m := &machine{transactions: store.Transactions(), outbox: store.Outbox(), run: run, model: map[string]*modelled{}}
	for i := range m.services {
		m.clocks[i] = portstest.NewClock(noon)
		var err error
		m.services[i], err = authstate.New(authstate.Ports{Transactions: m.transactions, Work: store.Work()}, authstate.Policy{}, &authstate.Config{Clock: m.clocks[i]})
		require.NoError(t, err)
	}
	return m
}

func (m *machine) process(t *rapid.T) (*authstate.Service, time.Time) {
	i := rapid.IntRange(0, len(m.services)-1).Draw(t, "process")
	return m.services[i], m.clocks[i].Now()
}

func (m *machine) id(t *rapid.T) string {
	return fmt.Sprintf("%d-%s", m.run, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"))
}

// change changes the model: out of PENDING once, and never again.
func (x *modelled) change(kind string, now time.Time, status ports.TransactionStatus, code errcodes.TransactionCode) {
	x.rec.Version++
	x.rec.Status, x.rec.Code = status, code
	x.rec.EndedAt = now.Truncate(time.Millisecond)
	if x.rec.EndedAt.Before(x.rec.CreatedAt) {
		x.rec.EndedAt = x.rec.CreatedAt
	}
	x.tell(kind)
}

func (x *modelled) tell(kind string) {
	data, err := json.Marshal(authstate.ViewOf(&x.rec))
	if err != nil {
		panic(err)
	}
	x.events = append(x.events, kind+" "+string(data))
}

// timeOut applies a timeout, as every read of the transaction does.
func (x *modelled) timeOut(now time.Time) {
	if x.rec.Status == ports.TransactionPending && !x.rec.RespondBy.IsZero() && !now.Before(x.rec.RespondBy) {
		x.change(authstate.EventFailed, now, ports.TransactionFailed, errcodes.FailureTimeout)
	}
}

// outcome applies an outcome to the model and returns the expected effect.
func (x *modelled) outcome(o failures.Outcome, code errcodes.TransactionCode, raw ports.RawFailure, scheme, tables string, now time.Time) authstate.Effect {
	switch {
	case o == failures.Pending, x.rec.Status == ports.TransactionSucceeded && o == failures.Success:
		return authstate.Unchanged
	case x.rec.Status == ports.TransactionSucceeded && (code == errcodes.FailureTimeout || code == errcodes.ErrorNetwork):
		return authstate.Unchanged
	case x.rec.Status == ports.TransactionSucceeded:
		return authstate.Contradicted
	case x.rec.Status != ports.TransactionPending && (o != failures.Success || !x.rec.LateAt.IsZero()):
		return authstate.Unchanged
	case x.rec.Status != ports.TransactionPending:
		x.late(raw, now)
		return authstate.LandedLate
	}
	x.rec.Raw, x.rec.Scheme, x.rec.Tables = raw, scheme, tables
	switch o {
	case failures.Success:
		x.change(authstate.EventSucceeded, now, ports.TransactionSucceeded, "")
	case failures.Failed:
		x.change(authstate.EventFailed, now, ports.TransactionFailed, code)
	case failures.Errored:
		x.change(authstate.EventErrored, now, ports.TransactionErrored, code)
	case failures.Pending:
	}
	return authstate.Moved
}

func (x *modelled) late(raw ports.RawFailure, now time.Time) {
	at := now.Truncate(time.Millisecond)
	if at.Before(x.rec.EndedAt) {
		at = x.rec.EndedAt
	}
	x.rec.LateAt, x.rec.LateRaw = at, raw
	x.rec.Version++
	x.tell(authstate.EventLatePayment)
	last := &x.events[len(x.events)-1]
	*last = (*last)[:len(*last)-1] + `,"latePayment":{"landedAt":"` + at.Format("2006-01-02T15:04:05.000Z") + `"}}`
}

func (m *machine) Open(t *rapid.T) {
	s, now := m.process(t)
	o := authstate.Opening{ID: m.id(t), Direction: rapid.SampledFrom(bothDirections).Draw(t, "direction")}
	if rapid.Bool().Draw(t, "answered in time") {
		seconds := rapid.IntRange(-1, 3).Draw(t, "by")
		o.RespondBy = noon.Add(time.Duration(seconds) * time.Minute)
	}
	got, err := s.Open(context.Background(), owner, o)
	x := m.model[o.ID]
	switch {
	case x == nil && !o.RespondBy.IsZero() && !o.RespondBy.After(now.Truncate(time.Millisecond)):
		require.ErrorIs(t, err, errcodes.InvalidRequest)
		return
	case x == nil:
		x = &modelled{rec: ports.Transaction{
			ID: o.ID, Owner: owner, Version: 1, Direction: o.Direction, Status: ports.TransactionPending,
			CreatedAt: now.Truncate(time.Millisecond), RespondBy: o.RespondBy,
		}}
		x.tell(authstate.EventOpened)
		m.model[o.ID] = x
	default:
		x.timeOut(now)
	}
	if x.rec.Direction != o.Direction || !x.rec.RespondBy.Equal(o.RespondBy) {
		require.ErrorIs(t, err, errcodes.Conflict)
		return
	}
	require.NoError(t, err)
	require.Equal(t, x.rec, got)
}

func (m *machine) Record(t *rapid.T) {
	s, now := m.process(t)
	id := m.id(t)
	o := rapid.SampledFrom([]failures.Outcome{failures.Success, failures.Pending, failures.Failed, failures.Errored}).Draw(t, "outcome")
	report := said[o]
	if o != failures.Pending {
		report.Message = rapid.String().Draw(t, "message")
	}
	a, err := s.Record(context.Background(), owner, id, report)
	if x := m.found(t, id, err); x != nil {
		r := a.Result
		if x.rec.Direction == errcodes.Payin {
			require.Equal(t, o, r.Outcome)
		}
		require.Equal(t, ports.RawFailure{Code: report.Code, Message: report.Message}, r.Raw, "I26")
		require.Equal(t, x.outcome(r.Outcome, r.Code, r.Raw, string(report.Scheme), r.Tables, now), a.Effect)
		require.Equal(t, x.rec, a.Transaction)
	}
}

func (m *machine) found(t *rapid.T, id string, err error) *modelled {
	x := m.model[id]
	if x == nil {
		require.ErrorIs(t, err, errcodes.NotFound)
		return nil
	}
	require.NoError(t, err)
	return x
}

func (m *machine) Succeed(t *rapid.T) {
	s, now := m.process(t)
	id := m.id(t)
	a, err := s.Succeed(context.Background(), owner, id)
	if x := m.found(t, id, err); x != nil {
		require.Equal(t, x.outcome(failures.Success, "", ports.RawFailure{}, "", "", now), a.Effect)
		require.Equal(t, x.rec, a.Transaction)
	}
}

func (m *machine) Fail(t *rapid.T) {
	s, now := m.process(t)
	id := m.id(t)
	code := rapid.SampledFrom([]errcodes.TransactionCode{errcodes.FailureTimeout, errcodes.FailureDeclined, errcodes.ErrorNetwork}).Draw(t, "code")
	a, err := s.Fail(context.Background(), owner, id, code)
	if x := m.found(t, id, err); x != nil {
		require.Equal(t, x.outcome(failures.Outcome(code.Row().State), code, ports.RawFailure{}, "", "", now), a.Effect)
		require.Equal(t, x.rec, a.Transaction)
	}
}

func (m *machine) Get(t *rapid.T) {
	s, now := m.process(t)
	id := m.id(t)
	got, err := s.Get(context.Background(), owner, id)
	if x := m.found(t, id, err); x != nil {
		x.timeOut(now)
		require.Equal(t, x.rec, got, "I27")
	}
}

func (m *machine) Tick(t *rapid.T) {
	s, now := m.process(t)
	require.NoError(t, s.Tick(context.Background(), now))
	for _, x := range m.model {
		x.timeOut(now)
	}
}

func (m *machine) ClockMoves(t *rapid.T) {
	i := rapid.IntRange(0, len(m.clocks)-1).Draw(t, "clock")
	us := rapid.OneOf(rapid.IntRange(-2000, 2000), rapid.IntRange(-100_000_000, 100_000_000)).Draw(t, "us")
	m.clocks[i].Set(m.clocks[i].Now().Add(time.Duration(us) * time.Microsecond))
}

// Check compares the stored transactions with the model.
func (m *machine) Check(t *rapid.T) {
	for id, x := range m.model {
		got, err := m.transactions.Transaction(context.Background(), owner, id)
		require.NoError(t, err)
		require.Equal(t, x.rec, got)
	}
}

// checkEvents compares all events: exactly one for each change, in order (I32).
func (m *machine) checkEvents(t *rapid.T) {
	got := map[string][]string{}
	for range 10 {
		batch, err := m.outbox.Claim(context.Background(), noon, time.Minute, 1000)
		require.NoError(t, err)
		for _, e := range batch {
			require.NoError(t, m.outbox.Ack(context.Background(), e))
			got[e.Key] = append(got[e.Key], e.Kind+" "+string(e.Data))
		}
	}
	require.Len(t, got, len(m.model))
	for id, x := range m.model {
		require.Equal(t, x.events, got[owner+"\x00"+id])
	}
}

func checkMachine(t rapid.TB, store storage) {
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := newMachine(t, store, run)
		t.Repeat(map[string]func(*rapid.T){
			"open": m.Open, "record": m.Record, "succeed": m.Succeed, "fail": m.Fail, "get": m.Get, "tick": m.Tick,
			"clock": m.ClockMoves, "": m.Check,
		})
		m.checkEvents(t)
		for _, x := range m.model { // leaves no work to the next run
			for x.rec.Status == ports.TransactionPending {
				_, err := m.services[0].Succeed(context.Background(), owner, x.rec.ID)
				require.NoError(t, err)
				x.rec.Status = ports.TransactionSucceeded
			}
		}
		require.NoError(t, m.services[0].Tick(context.Background(), noon.AddDate(1, 0, 0)))
		drainedBy(t, m.outbox)
	})
}

func drainedBy(t *rapid.T, outbox ports.Outbox) {
	for range 10 {
		batch, err := outbox.Claim(context.Background(), noon, time.Minute, 1000)
		require.NoError(t, err)
		for _, e := range batch {
			require.NoError(t, outbox.Ack(context.Background(), e))
		}
	}
}

// The test covers I26, I27 and I32 on every store.
func TestTheServiceAgreesWithTheModel(t *testing.T) {
	for name, open := range storages {
		t.Run(name, func(t *testing.T) {
			if name != "memory" { // a file is slow
				fewerChecks(t)
			}
			checkMachine(t, open(t))
		})
	}
}

// fewerChecks makes a fifth of rapid's checks for a test.
func fewerChecks(t *testing.T) {
	t.Helper()
	asked, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	require.NoError(t, err)
	setFlag(t, "rapid.checks", strconv.Itoa(max(1, asked/5)))
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name).Value
	before := f.String()
	require.NoError(t, f.Set(value))
	t.Cleanup(func() { require.NoError(t, f.Set(before)) })
}
