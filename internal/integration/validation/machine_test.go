package validation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

// step is one event in the life of the machine.
type step struct {
	what    string // ask, crash, script, pass
	account int
	owner   string
	name    string
	answer  ports.Answer
	err     error
	takes   time.Duration
	passes  time.Duration
}

var (
	machineAccounts = []string{"0690000032", "1234567895"}
	machineOwners   = []string{"acme", "beta"}
	machineNames    = []string{"", "Ama Serwaa Mensah", "Kofi Boateng"}
	machineTakes    = []time.Duration{0, 0, time.Second, 1999 * time.Millisecond, 2 * time.Second, 5 * time.Second, 20 * time.Second, time.Hour}
	machinePasses   = []time.Duration{0, time.Millisecond, time.Second, 3 * time.Second, 31 * time.Second, 61 * time.Second}
)

func drawSteps(t *rapid.T) []step {
	var steps []step
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		s := step{what: rapid.SampledFrom([]string{"ask", "ask", "ask", "script", "pass", "crash"}).Draw(t, "what")}
		s.account = rapid.IntRange(0, 1).Draw(t, "account")
		s.owner = rapid.SampledFrom(machineOwners).Draw(t, "owner")
		s.name = rapid.SampledFrom(machineNames).Draw(t, "name")
		outcome := rapid.SampledFrom(ports.OutcomeRules()).Draw(t, "outcome").Outcome
		s.answer, s.err = says[outcome].answer, says[outcome].err
		s.takes = rapid.SampledFrom(machineTakes).Draw(t, "takes")
		s.passes = rapid.SampledFrom(machinePasses).Draw(t, "passes")
		steps = append(steps, s)
	}
	return steps
}

// machine is a service that survives crashes, with all results that callers got.
type machine struct {
	t         *testing.T
	store     storage
	sealer    ports.Sealer
	connector *fake.Connector
	service   *validation.Service
	crashes   int

	mu   sync.Mutex
	told map[string]ports.Validation // by id, the latest result
	bad  error
}

func (m *machine) failf(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bad = errors.Join(m.bad, fmt.Errorf(format, args...))
}

func (m *machine) start() {
	service, err := validation.New(validation.Ports{
		Validations: m.store.Validations(), Answers: m.store.Answers(), Work: m.store.Work(), Sealer: m.sealer,
		Connectors: []ports.AccountConnector{m.connector},
	}, validation.Policy{AnswerTTL: time.Minute}, nil)
	if err != nil {
		m.failf("New: %w", err)
	}
	m.service = service
	go func() { _ = service.Run(context.Background()) }() // until Stop
}

// crash ends the service like a kill: lookups are interrupted, and pending validations
// stay pending.
func (m *machine) crash() {
	m.crashes++
	if err := m.service.Stop(context.Background()); err != nil {
		m.failf("Close: %w", err)
	}
	m.start()
}

func (m *machine) ask(s step) {
	req := named(s.name)
	req.AccountIdentifier = machineAccounts[s.account]
	begun := time.Now()
	v, err := m.service.Validate(context.Background(), s.owner, req)
	if took := time.Since(begun); took > validation.DefaultWindow {
		m.failf("I19: a call took %v", took)
	}
	switch {
	case errcodes.Of(err) == errcodes.Closed: // the crash
	case err != nil:
		m.failf("Validate: %w", err)
	default:
		m.saw(s.owner, v, true)
	}
}

// saw checks a result against the invariants.
func (m *machine) saw(owner string, v ports.Validation, isNew bool) {
	m.mu.Lock()
	before, known := m.told[owner+"/"+v.ID]
	m.told[owner+"/"+v.ID] = v
	m.mu.Unlock()
	if known == isNew {
		m.failf("an id was given twice, or never")
	}
	if known && before.Status.Terminal() && fmt.Sprintf("%#v", before) != fmt.Sprintf("%#v", v) {
		m.failf("I18: %v became %v", before, v)
	}
	if err := validation.CheckRecord(&v.ValidationRecord); err != nil {
		m.failf("%w", err)
	}
	named := v.Status == ports.StatusVerified || v.Status == ports.StatusNameMismatch
	if v.HolderName != "" && !named || (v.FailureReason != "") != (v.Status.Terminal() && v.Status != ports.StatusVerified) {
		m.failf("I20: %v has a name or a reason that it should not", v)
	}
	if v.Status == ports.StatusPending && !time.Now().Before(v.Deadline) {
		m.failf("I17: pending past its deadline")
	}
}

// look reads all results again.
func (m *machine) look() {
	m.mu.Lock()
	told := maps.Clone(m.told)
	m.mu.Unlock()
	for _, v := range told {
		now, err := m.service.Get(context.Background(), v.Owner, v.ID)
		switch {
		case errcodes.Of(err) == errcodes.NotFound && v.Status.Terminal() && !time.Now().Before(v.PurgeAt):
		case errcodes.Of(err) == errcodes.NotFound && v.Status == ports.StatusPending && time.Since(v.CreatedAt) > time.Minute:
		case err != nil:
			m.failf("Get: %w", err)
		default:
			m.saw(v.Owner, now, false)
		}
	}
}

func (m *machine) live(steps []step) {
	m.start()
	var callers sync.WaitGroup
	for _, s := range steps {
		switch s.what {
		case "ask":
			callers.Go(func() { m.ask(s) })
		case "crash":
			m.crash()
		case "script":
			m.connector.Answer(s.answer)
			if s.err != nil {
				m.connector.Fail(s.err)
			}
			m.connector.Take(ports.SystemClock(), s.takes)
		}
		<-time.After(s.passes)
		synctest.Wait()
		m.look()
	}
	callers.Wait()
	// While a service runs, each validation has ended by its deadline, even if it is not
	// read.
	<-time.After(validation.DefaultTimeout + validation.DefaultGrace + 2*time.Second)
	synctest.Wait()
	left, err := m.store.Validations().Overdue(context.Background(), time.Now().AddDate(1, 0, 0), ports.Pos{}, 10)
	if err != nil || len(left) > 0 {
		m.failf("I17: %d are still pending (%w)", len(left), err)
	}
	m.look()
	if err := m.service.Stop(context.Background()); err != nil {
		m.failf("Close: %w", err)
	}
}

// I17 to I20 hold whatever providers return, however long they take, whenever the process
// dies and however much time passes.
func TestInvariantsHoldAcrossCrashes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		// One in eight, because a file is slow.
		name := "memory"
		if rapid.IntRange(0, 7).Draw(rt, "store") == 7 {
			name = "sqlite"
		}
		steps := drawSteps(rt)
		var bad error
		synctest.Test(t, func(t *testing.T) {
			m := &machine{t: t, store: storages[name](t), sealer: sealer(t), told: map[string]ports.Validation{}}
			m.connector = fake.NewConnector("first", reaching)
			m.connector.Answer(found)
			m.live(steps)
			bad = m.bad
		})
		if bad != nil {
			rt.Fatal(bad)
		}
	})
}
