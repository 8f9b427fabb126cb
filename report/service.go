package report

import (
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// Service makes reports in the background. It is safe for concurrent use, and
// any number of services, in any number of processes, may share a store and the
// files.
type Service struct {
	ports   Ports
	writers map[string]ports.ReportWriter
	columns []ports.Column // of the transactions
	policy  Policy
	cfg     Config
	holder  string // this service's name in leases
	loops   *background.Loops
	wake    chan struct{} // holds a token when there is something new to run
	waiting *waiting
}

// New makes a service. A value out of its bounds, a port that is nil, a source
// without its ten columns, two writers of one format and none of csv are
// errcodes.Configuration. A nil *Config means the defaults.
func New(p Ports, policy Policy, config *Config) (*Service, error) {
	if p.Reports == nil || p.Transactions == nil || p.Files == nil || p.Scratch == nil {
		return nil, misconfigured("a report store, a transaction source, files and scratch are required")
	}
	if err := policy.Check(); err != nil {
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
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	holder, err := newID(cfg.Clock.Now(), cfg.Random)
	if err != nil {
		return nil, err
	}
	policy.Directions = slices.Clone(policy.Directions)
	return &Service{
		ports: p, writers: writers, columns: columns, policy: policy, cfg: cfg, holder: holder,
		loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "reports",
			Failed: func(_ context.Context, err error) { cfg.Hooks.Background(err) },
		}), wake: make(chan struct{}, 1),
		waiting: newWaiting(cfg.MaxWaiting),
	}, nil
}

func byFormat(writers []ports.ReportWriter) (map[string]ports.ReportWriter, error) {
	of := make(map[string]ports.ReportWriter, len(writers))
	for _, w := range writers {
		if w == nil || of[w.Format()] != nil {
			return nil, misconfigured("each format has one writer")
		}
		of[w.Format()] = w
	}
	if of[DefaultFormat] == nil {
		return nil, misconfigured("a writer of csv is required")
	}
	return of, nil
}

// Columns lists what a report of the kind may hold.
func (s *Service) Columns(kind ports.ReportKind) []ports.Column {
	if kind == ports.ReportUnmatched {
		return match.Columns()
	}
	return slices.Clone(s.columns)
}

// save stores a change. Of one whose fate is unknown the job is read back: ours
// is there or is not.
func (s *Service) save(ctx context.Context, change ports.ReportChange) error {
	err := s.ports.Reports.Save(ctx, change)
	if errcodes.Of(err) != errcodes.OutcomeUnknown {
		return err
	}
	there, again := s.ports.Reports.Report(ctx, change.Job.Owner, change.Job.ID)
	if again == nil && there.Version == change.Job.Version+1 && there.Status == change.Job.Status &&
		there.Holder == change.Job.Holder && there.UpdatedAt.Equal(change.Job.UpdatedAt) && there.Reason == change.Job.Reason {
		return nil
	}
	return err
}

// Get gives the owner's report. An unknown id, or another owner's, is
// errcodes.NotFound.
//
// Errors: NotFound, StorageUnavailable, CorruptRecord, and the context's own.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	j, err := s.read(ctx, owner, id)
	return j.rec, err
}

func (s *Service) read(ctx context.Context, owner, id string) (job, error) {
	rec, err := s.ports.Reports.Report(ctx, owner, id)
	if err != nil {
		return job{}, err
	}
	return restored(rec)
}

// maxTries bounds how often a cancel is tried anew because the report went on
// meanwhile.
const maxTries = 10

// Cancel ends the owner's report as failed, with the reason canceled; one that
// has ended is given as it is. What runs notices at its next beat, a third of
// Config.Lease later at the most.
//
// Errors: those of Get, Conflict when it changes too fast, OutcomeUnknown.
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
			s.ended(change.Job)
			// Of those who died; who runs removes its own. What stays goes by KeepFor.
			if err := s.removeFiles(ctx, &change.Job); err != nil {
				s.cfg.Hooks.Background(err)
			}
			return change.Job, nil
		}
		if errcodes.Of(err) != errcodes.Conflict {
			return ports.ReportJob{}, err
		}
	}
	return ports.ReportJob{}, err
}

func (s *Service) ended(r ports.ReportJob) {
	s.waiting.drop(r.Owner, r.ID)
	s.cfg.Hooks.Ended(r, r.EndedAt.Sub(r.CreatedAt))
}

// Close ends Run: what it is making is broken off and left to the next process
// that takes it up. It waits for that, at the longest until ctx is done, whose
// error it gives then.
func (s *Service) Close(ctx context.Context) error { return s.loops.Stop(ctx) }
