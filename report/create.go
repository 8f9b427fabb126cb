package report

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/ports"
)

// CreateTransactions creates a report on the owner's transactions and returns the job,
// which runs in the background (SPEC 4.5). The owner has 1 to MaxOwner bytes.
//
// Errors: [errcodes.InvalidRequest] for a malformed field, [errcodes.Unprocessable] for
// unknown columns or filters, an end before the start or more than MaxDays,
// [errcodes.TooManyRequests] while the owner has Config.MaxWaiting unfinished reports,
// [errcodes.StorageUnavailable], [errcodes.OutcomeUnknown] and those of the context.
func (s *Service) CreateTransactions(ctx context.Context, owner string, r Request) (ports.ReportJob, error) {
	return s.create(ctx, owner, ports.ReportTransactions, r)
}

// CreateUnmatched creates a report on the settlement lines and transactions that do not
// match. A request without columns gets all. It returns [errcodes.NotFound] if there is
// no settlement source; other errors are those of [Service.CreateTransactions].
func (s *Service) CreateUnmatched(ctx context.Context, owner string, r Request) (ports.ReportJob, error) {
	if s.ports.Settlements == nil {
		return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "This service has no settlement reports")
	}
	return s.create(ctx, owner, ports.ReportUnmatched, r)
}

func (s *Service) create(ctx context.Context, owner string, kind ports.ReportKind, r Request) (ports.ReportJob, error) {
	if err := checkOwner(owner); err != nil {
		return ports.ReportJob{}, err
	}
	request, err := r.check(s.Columns(kind), s.writers, kind == ports.ReportTransactions)
	if err != nil {
		return ports.ReportJob{}, err
	}
	now := s.cfg.Clock.Now()
	id, err := ids.New(IDPrefix, now, s.cfg.Random)
	if err != nil {
		return ports.ReportJob{}, err
	}
	j := job{ports.ReportJob{ID: id, Owner: owner, Kind: kind, Request: request, Total: -1}}
	change, err := j.move(OnCreate, now, nil)
	if err != nil {
		return ports.ReportJob{}, err
	}
	if err := s.reserve(ctx, owner, id); err != nil {
		return ports.ReportJob{}, err
	}
	err = s.save(ctx, change)
	s.waiting.saved(id)
	if err != nil {
		if errcodes.Of(err) != errcodes.OutcomeUnknown {
			s.waiting.drop(owner, id)
		}
		return ports.ReportJob{}, errcodes.Coded(err)
	}
	select {
	case s.wake <- struct{}{}:
	default: // Run finds it at its next tick
	}
	change.Job.Version++
	return change.Job, nil
}

func checkOwner(owner string) error {
	if owner == "" || len(owner) > MaxOwner {
		return invalid("owner", "must be 1 to 512 bytes")
	}
	return nil
}

// IDPrefix is the prefix of every report id.
const IDPrefix = "rep_"
