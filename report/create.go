package report

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// CreateTransactions asks for a report on the owner's transactions, and gives
// the job; it runs in the background (SPEC 4.5).
//
// Errors: InvalidRequest for what is malformed, an owner of none or more than
// MaxOwner bytes included; Unprocessable for columns and filters that the report
// has not, an end before the start and more than 366 days; TooManyRequests while
// the owner has Config.MaxWaiting reports that have not ended; StorageUnavailable,
// OutcomeUnknown, and the context's own.
func (s *Service) CreateTransactions(ctx context.Context, owner string, r Request) (ports.ReportJob, error) {
	return s.create(ctx, owner, ports.ReportTransactions, r)
}

// CreateUnmatched asks for a report on the settlement lines and transactions
// that do not match. Without columns it has all. Errors are those of
// [Service.CreateTransactions]; NotFound where there is no settlement source.
func (s *Service) CreateUnmatched(ctx context.Context, owner string, r Request) (ports.ReportJob, error) {
	if s.ports.Settlements == nil {
		return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "No settlements are reported on here")
	}
	return s.create(ctx, owner, ports.ReportUnmatched, r)
}

func (s *Service) create(ctx context.Context, owner string, kind ports.ReportKind, r Request) (ports.ReportJob, error) {
	if owner == "" || len(owner) > MaxOwner {
		return ports.ReportJob{}, invalid("owner", "must be 1 to 512 bytes")
	}
	request, err := r.check(s.Columns(kind), s.writers, kind == ports.ReportTransactions)
	if err != nil {
		return ports.ReportJob{}, err
	}
	now := s.cfg.Clock.Now()
	id, err := newID(now, s.cfg.Random)
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
		return ports.ReportJob{}, err
	}
	s.nudge()
	change.Job.Version++
	return change.Job, nil
}

// nudge wakes Run.
func (s *Service) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// IDPrefix opens the id of every report.
const IDPrefix = "rep_"

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a report's id: 48 bits of the time, so that ids sort roughly by
// age, and 80 bits of chance.
func newID(now time.Time, random io.Reader) (string, error) {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	return IDPrefix + idEncoding.EncodeToString(raw[:]), nil
}
