package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// Service makes reports in the background. It is safe for concurrent use. Any number of
// services, in any number of processes, may share a store and files.
type Service struct {
	ports   Ports
	writers map[string]ports.ReportWriter
	columns []ports.Column // of the transaction source
	policy  Policy
	cfg     Config
	holder  string // identifies this service in leases
	loops   *background.Loops
	wake    chan struct{} // receives a value when a report is created
	waiting *waiting
}

// New returns a service. A nil *Config means the defaults. It returns
// [errcodes.Configuration] if a port is missing, a value is out of bounds, the source
// lacks one of its ten columns, a format has two writers, or csv has none.
func New(p Ports, policy Policy, config *Config) (*Service, error) {
	cfg, err := config.withDefaults()
	if err = cmp.Or(p.check(), policy.check(), err); err != nil {
		return nil, err
	}
	writers, err := byFormat(p.Writers)
	if err != nil {
		return nil, err
	}
	columns := p.Transactions.Columns()
	if err := checkSource(columns); err != nil {
		return nil, err
	}
	holder, err := ids.New(IDPrefix, cfg.Clock.Now(), cfg.Random)
	if err != nil {
		return nil, err
	}
	policy.Directions = slices.Clone(policy.Directions)
	wake := make(chan struct{}, 1)
	return &Service{
		ports: p, writers: writers, columns: columns, policy: policy, cfg: cfg, holder: holder, wake: wake, waiting: newWaiting(cfg.MaxWaiting),
		loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "reports", Failed: cfg.Hooks.Background, Wake: wake,
		}),
	}, nil
}

func byFormat(writers []ports.ReportWriter) (map[string]ports.ReportWriter, error) {
	of := make(map[string]ports.ReportWriter, len(writers))
	for _, w := range writers {
		if of[w.Format()] != nil {
			return nil, errcodes.New(errcodes.Configuration, "two writers of format "+w.Format())
		}
		of[w.Format()] = w
	}
	if of[DefaultFormat] == nil {
		return nil, errcodes.New(errcodes.Configuration, "a writer of format csv is required")
	}
	return of, nil
}

// Columns returns the columns of a kind of report.
func (s *Service) Columns(kind ports.ReportKind) []ports.Column {
	if kind == ports.ReportUnmatched {
		return match.Columns()
	}
	return slices.Clone(s.columns)
}

// save stores a change. If the outcome is unknown, it reads the job back to find out.
func (s *Service) save(ctx context.Context, change ports.ReportChange) error {
	change.Audit = ports.Audit(ctx, change.Events)
	err := s.ports.Reports.Save(ctx, change)
	if errcodes.Of(err) != errcodes.OutcomeUnknown {
		return err
	}
	stored, readErr := s.ports.Reports.Report(ctx, change.Job.Owner, change.Job.ID)
	if readErr == nil && stored.Version == change.Job.Version+1 && stored.Status == change.Job.Status &&
		stored.Holder == change.Job.Holder && stored.UpdatedAt.Equal(change.Job.UpdatedAt) && stored.Reason == change.Job.Reason {
		return nil
	}
	return err
}

// Get returns the owner's report. It returns [errcodes.NotFound] if the id is unknown or
// another owner's, [errcodes.InvalidRequest] if the owner is empty or longer than
// MaxOwner bytes, [errcodes.StorageUnavailable], [errcodes.CorruptRecord] and the errors
// of the context.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	j, err := s.read(ctx, owner, id)
	return j.rec, err
}

func (s *Service) read(ctx context.Context, owner, id string) (job, error) {
	if err := checkOwner(owner); err != nil {
		return job{}, err
	}
	rec, err := s.ports.Reports.Report(ctx, owner, id)
	if err != nil {
		return job{}, errcodes.Coded(err)
	}
	return restored(rec)
}

// maxTries bounds how often Cancel retries after a conflict.
const maxTries = 10

// Cancel ends the owner's report as failed with the reason canceled and returns it. It
// returns a report that has already ended unchanged. A process that is making the report
// stops at its next beat, at most a third of Config.Lease later.
//
// Errors are those of [Service.Get], [errcodes.Conflict] if the report changes too often,
// and [errcodes.OutcomeUnknown].
func (s *Service) Cancel(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	var err error
	for range maxTries {
		var j job
		if j, err = s.read(ctx, owner, id); err != nil || j.rec.Status.Terminal() {
			return j.rec, err
		}
		var change ports.ReportChange
		change, err = j.move(OnCancel, s.cfg.Clock.Now(), func(r *ports.ReportJob) { r.Reason = string(errcodes.Canceled) })
		if err != nil {
			return ports.ReportJob{}, err
		}
		if err = s.save(ctx, change); err == nil {
			change.Job.Version++
			s.ended(ctx, change.Job)
			// These are files of processes that died; a running attempt removes its own.
			// If the removal fails, expire removes the rest.
			_ = s.loops.Report(ctx, s.removeFiles(ctx, &change.Job))
			return change.Job, nil
		}
		if errcodes.Of(err) != errcodes.Conflict {
			break
		}
	}
	return ports.ReportJob{}, errcodes.Coded(err)
}

func (s *Service) ended(ctx context.Context, r ports.ReportJob) {
	s.waiting.drop(r.Owner, r.ID)
	s.cfg.Hooks.Ended(ctx, r, r.EndedAt.Sub(r.CreatedAt))
}

// Stop ends Run, interrupts the reports that it is making and releases them for other
// processes. It waits for that until ctx is done and then returns the context's error.
// Stop may be called more than once. All other methods still work afterwards.
func (s *Service) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }
