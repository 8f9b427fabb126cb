package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

func atMost(n int) func(*report.Config) { return func(c *report.Config) { c.MaxWaiting = n } }

// ask creates a report of an owner.
func ask(r *rig, s *report.Service, who string) error {
	_, err := s.CreateTransactions(r.t.Context(), who, asked())
	return err
}

// refused requires TooManyRequests with the time to wait.
func refused(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, errcodes.TooManyRequests, errcodes.Of(err), "%v", err)
	assert.Positive(t, errcodes.RetryAfterOf(err))
}

// Reports are made in order of creation: without a bound an owner could put any number of
// reports before all others.
func TestAnOwnersWaitingReportsAreBounded(t *testing.T) {
	r := newRig(t, atMost(3))
	for range 3 {
		require.NoError(t, ask(r, r.service, owner))
	}
	for range 20 {
		refused(t, ask(r, r.service, owner))
	}
	require.NoError(t, ask(r, r.service, "beta"), "each owner has its own")
	require.NoError(t, r.tick())
	assert.Len(t, r.ended, 4, "what was refused left no job (I22)")
	for range 3 {
		require.NoError(t, ask(r, r.service, owner))
	}
	refused(t, ask(r, r.service, owner))
}

func TestAReportMadeByAnotherProcessFreesItsPlace(t *testing.T) {
	const most = 20
	r := newRig(t, atMost(most))
	for range most {
		require.NoError(t, ask(r, r.service, owner))
	}
	require.NoError(t, r.another().Tick(t.Context(), r.clock.Now()))
	for range most {
		require.NoError(t, ask(r, r.service, owner))
	}
	refused(t, ask(r, r.service, owner))
}

func TestACancelledReportFreesItsPlace(t *testing.T) {
	r := newRig(t, atMost(1))
	id := r.create(asked()).ID
	refused(t, ask(r, r.service, owner))
	_, err := r.another().Cancel(t.Context(), owner, id)
	require.NoError(t, err)
	require.NoError(t, ask(r, r.service, owner))
}

// A report that ends frees only its own place.
func TestAnEndedReportFreesOnlyItsOwnPlace(t *testing.T) {
	r := newRig(t, atMost(2))
	first := r.create(asked()).ID
	r.create(asked())
	_, err := r.service.Cancel(t.Context(), owner, first)
	require.NoError(t, err)
	require.NoError(t, ask(r, r.service, owner))
	refused(t, ask(r, r.service, owner))
}

// A request without a place reads only a few reports, and the next request others.
func TestEveryEndedReportIsFoundEventually(t *testing.T) {
	r := newRig(t, atMost(20))
	var last string
	for range 20 {
		last = r.create(asked()).ID
	}
	_, err := r.another().Cancel(t.Context(), owner, last)
	require.NoError(t, err)
	for range 4 {
		refused(t, ask(r, r.service, owner))
	}
	require.NoError(t, ask(r, r.service, owner))
}

// spied is a store that counts its reads, and fails once where the test says. The first
// save calls during, if it is set.
type spied struct {
	ports.ReportStore

	reads  int
	fail   error
	during func()
}

func (s *spied) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	s.reads++
	return s.ReportStore.Report(ctx, owner, id)
}

func (s *spied) Save(ctx context.Context, c ports.ReportChange) error {
	if err := s.fail; err != nil {
		s.fail = nil
		return err
	}
	if during := s.during; during != nil {
		s.during = nil
		during()
	}
	return s.ReportStore.Save(ctx, c)
}

func spying(t *testing.T, r *rig) (*report.Service, *spied) {
	t.Helper()
	p := r.parts()
	spy := &spied{ReportStore: p.Reports}
	p.Reports = spy
	s, err := report.New(p, report.Policy{}, &r.config)
	require.NoError(t, err)
	return s, spy
}

// A report that is being saved is not in the store yet, and keeps its place.
func TestAReportThatIsBeingSavedKeepsItsPlace(t *testing.T) {
	r := newRig(t, atMost(1))
	s, spy := spying(t, r)
	var second error
	spy.during = func() { second = ask(r, s, owner) }
	require.NoError(t, ask(r, s, owner))
	refused(t, second)
}

// Reports that end here, or were not stored, free their places without reading the store.
func TestKnownFreePlacesNeedNoRead(t *testing.T) {
	r := newRig(t, atMost(1))
	s, spy := spying(t, r)
	spy.fail = errcodes.New(errcodes.StorageUnavailable, "")
	require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(ask(r, s, owner)))
	require.NoError(t, ask(r, s, owner))
	assert.Zero(t, spy.reads)
	require.NoError(t, s.Tick(t.Context(), r.clock.Now()))
	spy.reads = 0
	require.NoError(t, ask(r, s, owner))
	assert.Zero(t, spy.reads)
	for range 10 {
		refused(t, ask(r, s, owner))
	}
	assert.Equal(t, 10, spy.reads, "a refusal is cheap")
}

// A report with an unknown outcome keeps its place until it is read.
func TestAReportWithAnUnknownOutcomeKeepsItsPlace(t *testing.T) {
	r := newRig(t, atMost(1))
	s, spy := spying(t, r)
	spy.fail = errcodes.New(errcodes.OutcomeUnknown, "")
	require.Equal(t, errcodes.OutcomeUnknown, errcodes.Of(ask(r, s, owner)))
	require.NoError(t, ask(r, s, owner), "it was not stored")
	refused(t, ask(r, s, owner))
}

// A malformed request takes no place.
func TestARejectedRequestTakesNoPlace(t *testing.T) {
	r := newRig(t, atMost(1))
	q := asked()
	q.EndDate = "never"
	for range 3 {
		_, err := r.service.CreateTransactions(t.Context(), owner, q)
		require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
	}
	require.NoError(t, ask(r, r.service, owner))
}

func TestConcurrentRequestsDoNotExceedTheBound(t *testing.T) {
	r := newRig(t, atMost(5))
	results := make(chan error, 50)
	var all errgroup.Group
	for range cap(results) {
		all.Go(func() error {
			results <- ask(r, r.service, owner)
			return nil
		})
	}
	require.NoError(t, all.Wait())
	stored := 0
	for range cap(results) {
		if err := <-results; err == nil {
			stored++
		} else {
			refused(t, err)
		}
	}
	assert.Equal(t, 5, stored)
}

// By default an owner has 100 places.
func TestTheDefaultBoundIs100Reports(t *testing.T) {
	r := newRig(t)
	for range 100 {
		require.NoError(t, ask(r, r.service, owner))
	}
	refused(t, ask(r, r.service, owner))
	r.clock.Advance(time.Hour)
	refused(t, ask(r, r.service, owner))
}
