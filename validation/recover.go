package validation

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// WorkRecover is the kind of the work that sees a pending validation to its
// end.
const WorkRecover = "validation.recover"

const (
	recoverEvery = 2 * time.Second // between two looks at a pending validation
	workPage     = 100
	purgeEvery   = int64(time.Minute / time.Millisecond)
	purgePage    = 1000
)

// recovery is the work that a pending validation is stored with.
func recovery(rec *ports.ValidationRecord, now time.Time) ports.WorkItem {
	payload := packText(packText([]byte{packing}, rec.Owner), rec.ID)
	return ports.WorkItem{ID: rec.ID + ".recover", Kind: WorkRecover, DueAt: now.Add(recoverEvery), Payload: payload}
}

// purges remembers when the last purge was, in ms.
type purges struct{ last atomic.Int64 }

// Tick does one round of background work at now: it takes up validations whose
// process died, ends those past their deadline, and once a minute removes what
// has become stale. Errors are joined; one validation's failure leaves the
// others alone.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	lost := background.Drain{Work: s.work, Kind: WorkRecover, Lease: claimLease, Retry: recoverEvery, Do: s.takeUp}
	return s.loops.Report(ctx, errors.Join(s.loops.Drain(ctx, lost, now), s.sweep(ctx, now), s.purge(ctx, now)))
}

// Run ticks at once and then every Config.Every by the clock, until ctx is done
// or Close. An embedder that runs no ticker loses what other processes, or this
// one before a crash, left pending: such a validation is not looked up again
// and ends as an error when it is read past its deadline. Nothing is purged.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, s.Tick)
}

// takeUp sees to it that a flight of this process ends the validation, and
// reports whether there is nothing left to see to.
func (s *Service) takeUp(ctx context.Context, payload []byte, now time.Time) (ended bool, err error) {
	u := newUnpacker(payload)
	owner, id := u.text(), u.text()
	if err := u.end(); err != nil {
		return true, err
	}
	rec, err := s.read(ctx, owner, id)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return true, nil
	case errcodes.Of(err) == errcodes.CorruptRecord:
		return true, err
	case err != nil:
		return false, err
	case rec.Status.Terminal():
		return true, nil
	case s.flights.has(id):
		return false, nil
	}
	p, err := s.open(ctx, &rec)
	switch {
	case err == nil:
		return s.resume(ctx, &rec, &p, now)
	case errcodes.Of(err) == errcodes.KeyUnknown:
		return false, nil // it may be another process's; its deadline ends it
	case lost(err):
		_, err := s.settle(ctx, owner, id, func(*private) verdict { return unreadable(&rec) })
		return err == nil, err
	default:
		return false, err
	}
}

// resume asks again for a validation whose lookup was lost.
func (s *Service) resume(ctx context.Context, rec *ports.ValidationRecord, p *private, now time.Time) (ended bool, err error) {
	w := wanted{
		account:  ports.Account{Market: rec.Market, Identifier: p.identifier, BankCode: rec.BankCode, Branch: p.branch},
		identity: p.identity, name: p.supplied, digits: p.digits, route: s.routes[rec.Market],
	}
	end := &ending{provider: rec.Provider, outcome: ports.OutcomeTimeout}
	until := rec.Deadline.Add(-s.cfg.Grace)
	switch {
	case w.route == nil:
		end.outcome = ports.OutcomeUnsupported
	case now.Before(until):
		key := s.answerKey(rec.Owner, &w)
		if s.flights.full(rec.Owner, key) {
			return false, errFull // unclaimed, for a process with room
		}
		free, err := s.answers.Claim(ctx, key, s.holder, now, now.Add(claimLease))
		if err != nil || !free {
			return false, err // whose claim it is ends it
		}
		// A lookup's whole time: others may join it.
		f, err := s.join(ctx, flightPlan{owner: rec.Owner, key: key, wanted: w, until: now.Add(s.cfg.Timeout)})
		if err != nil {
			return false, err // the claim lapses: a lookup begun here since may rest on it
		}
		defer f.leave()
		return false, s.hang(ctx, f, rec)
	}
	_, err = s.settle(ctx, rec.Owner, rec.ID, func(p *private) verdict { return s.judge(p.supplied, p.digits, end) })
	return err == nil, err
}

// hang attaches a validation to a flight, or ends it with one that is over.
func (s *Service) hang(ctx context.Context, f *flight, rec *ports.ValidationRecord) error {
	if s.attach(ctx, f, rec) || f.broken() {
		return nil
	}
	_, err := s.settleWith(ctx, f, rec.ID)
	return err
}

// sweep ends what is pending past its deadline, whatever became of its work.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	var failed []error
	var after ports.ValidationPos
	for {
		page, err := s.validations.Overdue(ctx, now, after, workPage)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for i := range page {
			_, err := s.expire(ctx, &page[i])
			failed = append(failed, err)
		}
		if len(page) < workPage {
			return errors.Join(failed...)
		}
		last := &page[len(page)-1]
		after = ports.ValidationPos{Deadline: last.Deadline, ID: last.ID}
	}
}

// purge removes, at most once a minute, what is stale.
func (s *Service) purge(ctx context.Context, now time.Time) error {
	last, ms := s.purged.last.Load(), now.UnixMilli()
	if last != 0 && ms-last < purgeEvery && ms >= last || !s.purged.last.CompareAndSwap(last, ms) {
		return nil
	}
	s.recent.forget(now)
	return errors.Join(
		drain(func() (int, error) { return s.validations.PurgeValidations(ctx, now, purgePage) }),
		drain(func() (int, error) { return s.answers.PurgeAnswers(ctx, now, purgePage) }),
	)
}

// drain calls purge until it has nothing left to remove.
func drain(purge func() (int, error)) error {
	for {
		n, err := purge()
		if err != nil || n < purgePage {
			return err
		}
	}
}
