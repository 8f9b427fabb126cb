package report

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/ports"
)

// CreateTransactions creates a report on the owner's transactions and returns the
// job, which runs in the background (SPEC 4.5). The owner is 1 to MaxOwner bytes.
//
// A malformed field is [errcodes.InvalidRequest]. Unknown columns and filters, an
// end before the start and more than MaxDays are [errcodes.Unprocessable]. While
// Config.MaxWaiting of the owner's reports have not ended, it is
// [errcodes.TooManyRequests]. Other errors are [errcodes.StorageUnavailable],
// [errcodes.OutcomeUnknown] and the context's own.
func (s *Service) CreateTransactions(ctx context.Context, owner string, r Request) (ports.ReportJob, error) {
	return s.create(ctx, owner, ports.ReportTransactions, r)
}

// CreateUnmatched creates a report on the settlement lines and transactions that
// do not match. A request without columns means all. Without a settlement source it
// is [errcodes.NotFound]; other errors are those of [Service.CreateTransactions].
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
	if err := s.save(ctx, change); err != nil {
		if errcodes.Of(err) != errcodes.OutcomeUnknown {
			s.waiting.drop(owner, id)
		}
		return ports.ReportJob{}, errcodes.Coded(err)
	}
	select {
	case s.wake <- struct{}{}:
	default: // Run will look anyway
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

// IDPrefix begins the id of every report.
const IDPrefix = "rep_"
