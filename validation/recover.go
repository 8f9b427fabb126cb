package validation

import (
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
)

// WorkRecover is the kind of the work that ends a pending validation whose process
// died.
const WorkRecover = "validation.recover"

const (
	recoverEvery = 2 * time.Second // between two looks at a pending validation
	workPage     = 100
	purgeEvery   = int64(time.Minute / time.Millisecond)
	purgePage    = 1000
)

// recovery is the work that a pending validation is stored with.
func recovery(rec *ports.ValidationRecord, now time.Time) ports.WorkItem {
	payload := binrec.AppendText(binrec.AppendText([]byte{packing}, rec.Owner), rec.ID)
	return ports.WorkItem{ID: rec.ID + ".recover", Kind: WorkRecover, DueAt: now.Add(recoverEvery), Payload: payload}
}

// Run ticks at once and then every Config.Every by the clock, until Stop, when it
// returns nil, or until ctx is done, when it returns [errcodes.Canceled] or
// [errcodes.DeadlineExceeded]. Without Run or Tick nothing is purged, and a validation
// whose process died is not looked up again: it ends as an error when Get finds it past
// its deadline.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, s.Tick)
}

// Tick does one round of background work at now: it takes up validations whose process
// died, ends those past their deadline, and once a minute removes what is stale. A
// failure of one validation does not stop the others; the errors are joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	due := background.Drain{Work: s.work, Kind: WorkRecover, Lease: claimLease, Retry: recoverEvery, Do: s.takeUp}
	return s.loops.Report(ctx, errors.Join(s.loops.Drain(ctx, due, now), s.endAllOverdue(ctx, now), s.purge(ctx, now)))
}

// takeUp lets a lookup of this process end the validation, and reports whether there
// is nothing left to do.
func (s *Service) takeUp(ctx context.Context, payload []byte, now time.Time) (ended bool, err error) {
	fields := binrec.Read(payload)
	version, owner, id := fields.Byte(), fields.Text(), fields.Text()
	if version != packing || !fields.Done() {
		return false, errDamaged
	}
	rec, err := s.read(ctx, owner, id)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return true, nil
	case err != nil:
		return false, err
	case rec.Status.Terminal():
		return true, nil
	case s.lookups.finished(id) != nil:
		return false, nil // a lookup of this process will end it
	}
	r, _, err := s.open(ctx, &rec)
	switch {
	case err == nil:
		return s.resume(ctx, &rec, &r, now)
	case errcodes.Of(err) == errcodes.KeyUnknown:
		return false, nil // another process may have the key; the deadline ends it
	case lost(err):
		_, err := s.end(ctx, owner, id, func(*request) result { return failure(&rec, "", reasonLost) })
		return err == nil, err
	default:
		return false, err
	}
}

// resume asks again for a validation whose lookup was lost.
func (s *Service) resume(ctx context.Context, rec *ports.ValidationRecord, r *request, now time.Time) (ended bool, err error) {
	a := &answer{provider: rec.Provider, outcome: ports.OutcomeTimeout}
	switch {
	case s.routes[rec.Market] == nil:
		a.outcome = ports.OutcomeUnsupported
	case now.Before(rec.Deadline.Add(-s.cfg.Grace)):
		key := s.key(r)
		if s.lookups.full(r.owner, key) {
			return false, errFull // unclaimed, for a process that has room
		}
		free, err := s.answers.Claim(ctx, key, s.holder, now, now.Add(claimLease))
		if err != nil || !free {
			return false, err // the process that has the claim ends it
		}
		l, err := s.join(ctx, key, r, now.Add(s.cfg.Timeout)) // a lookup's whole time: others may join
		if err != nil {
			return false, err // the claim lapses: a lookup that began here since may rest on it
		}
		defer l.leave()
		if s.attach(ctx, l, rec) || l.failed() {
			return false, nil
		}
		_, err = s.endWith(ctx, l, rec.ID)
		return false, err
	}
	_, err = s.end(ctx, rec.Owner, rec.ID, func(r *request) result { return s.judge(r, a) })
	return err == nil, err
}

// endAllOverdue ends what is pending past its deadline, whatever became of its work.
func (s *Service) endAllOverdue(ctx context.Context, now time.Time) error {
	var failed []error
	var after ports.Pos
	for {
		page, err := s.validations.Overdue(ctx, now, after, workPage)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for i := range page {
			_, err := s.endOverdue(ctx, &page[i])
			failed = append(failed, err)
		}
		if len(page) < workPage {
			return errors.Join(failed...)
		}
		last := &page[len(page)-1]
		after = ports.Pos{At: last.Deadline, ID: last.ID}
	}
}

// purge removes, at most once a minute, what is stale.
func (s *Service) purge(ctx context.Context, now time.Time) error {
	last, ms := s.purgedAt.Load(), now.UnixMilli()
	if last != 0 && ms-last < purgeEvery && ms >= last || !s.purgedAt.CompareAndSwap(last, ms) {
		return nil
	}
	s.cache.purge(now)
	var failed []error
	for _, purge := range []func(context.Context, time.Time, int) (int, error){s.validations.PurgeValidations, s.answers.PurgeAnswers} {
		for {
			n, err := purge(ctx, now, purgePage)
			failed = append(failed, err)
			if err != nil || n < purgePage {
				break
			}
		}
	}
	return errors.Join(failed...)
}
