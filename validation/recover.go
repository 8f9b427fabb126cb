package validation

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
)

// WorkRecover is the kind of the work that resumes or ends a pending validation whose
// process has died.
const WorkRecover = "validation.recover"

const (
	recoverEvery = 2 * time.Second // how often a pending validation is looked at
	workPage     = 100
	purgeEvery   = int64(time.Minute / time.Millisecond)
	purgePage    = 1000
)

// recovery returns the work that is stored with a pending validation. Its id contains the
// version, because earlier work of the validation may still be stored.
func recovery(rec *ports.ValidationRecord, now time.Time) ports.WorkItem {
	payload := binrec.AppendText(binrec.AppendText([]byte{packing}, rec.Owner), rec.ID)
	id := rec.ID + ".recover." + strconv.Itoa(int(rec.Version)+1)
	return ports.WorkItem{ID: id, Kind: WorkRecover, DueAt: now.Add(recoverEvery), Payload: payload}
}

// Run calls Tick at once and then every Config.Every. It returns nil after Stop, and
// [errcodes.Canceled] or [errcodes.DeadlineExceeded] when ctx is done. Without Run or
// Tick nothing is purged, and a validation whose process died is not resumed: it ends as
// an error when Get finds it past its deadline, or stays pending if its sealing key was
// missing then.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, s.Tick)
}

// Tick does one round of background work as of now: it resumes validations of processes
// that died or whose sealing key has returned, ends those past their deadline, and once a
// minute purges stale data. A failure of one validation does not stop the others; Tick
// joins the errors.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	due := background.Drain{Work: s.work, Kind: WorkRecover, Lease: claimLease, Retry: recoverEvery, Do: s.takeUp}
	return s.loops.Report(ctx, errors.Join(s.loops.Drain(ctx, due, now), s.endAllOverdue(ctx, now), s.purge(ctx, now)))
}

// takeUp resumes the validation with a lookup of this process, and reports whether
// nothing is left to do.
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
	case waitsForKey(&rec):
		return true, nil // endAllOverdue looks at it in each tick, and restart stores new work
	}
	ended, err = s.openAndResume(ctx, &rec, now)
	if errcodes.Of(err) == errcodes.KeyUnknown {
		return false, nil // it waits now, or another writer was first: the next claim finds out
	}
	return ended, err
}

// openAndResume resumes a pending validation, and reports whether it has ended. If its
// record is damaged, it ends as an error. If its key is missing, it waits for the key, and
// openAndResume returns [errcodes.KeyUnknown].
func (s *Service) openAndResume(ctx context.Context, rec *ports.ValidationRecord, now time.Time) (ended bool, err error) {
	if s.lookups.finished(rec.ID) != nil {
		return false, nil // a lookup of this process will end it
	}
	r, _, err := s.open(ctx, rec)
	switch errcodes.Of(err) {
	case "":
		return s.resume(ctx, rec, &r, now)
	case errcodes.KeyUnknown:
		return false, cmp.Or(unlessConflict(s.waitForKey(ctx, rec)), err)
	case errcodes.CorruptRecord:
		_, err := s.end(ctx, rec.Owner, rec.ID, func(*request) result { return failure(rec, "", reasonLost) })
		return err == nil, err
	default:
		return false, err
	}
}

// unlessConflict returns err, or nil if another writer was first: the next tick sees what
// it has stored.
func unlessConflict(err error) error {
	if errcodes.Of(err) == errcodes.Conflict {
		return nil
	}
	return err
}

// resume starts a new lookup for a validation whose lookup was lost.
func (s *Service) resume(ctx context.Context, rec *ports.ValidationRecord, r *request, now time.Time) (ended bool, err error) {
	a := &answer{provider: rec.Provider, outcome: ports.OutcomeTimeout}
	switch {
	case s.routes[rec.Market] == nil:
		a.outcome = ports.OutcomeUnsupported
	case now.Before(rec.Deadline.Add(-s.cfg.Grace)) || waitsForKey(rec):
		key := s.key(r)
		if s.lookups.full(r.owner, key) {
			return false, errFull // unclaimed, so that a process with room can resume it
		}
		free, err := s.answers.Claim(ctx, key, s.holder, now, now.Add(claimLease))
		if err != nil || !free {
			return false, err // the process that has the claim ends it, or a later tick resumes it
		}
		if waitsForKey(rec) {
			if err := s.restart(ctx, rec, now); err != nil {
				return false, unlessConflict(err)
			}
		}
		l, err := s.join(ctx, key, r, now.Add(s.cfg.Timeout)) // with the full timeout, because other callers may join
		if err != nil {
			return false, err // without releasing the claim: a newer lookup of this process may rely on it
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

// endAllOverdue ends all validations that are pending past their deadline, and resumes
// those whose key has returned.
func (s *Service) endAllOverdue(ctx context.Context, now time.Time) error {
	var failed []error
	var after ports.Pos
	missing := map[string]bool{}
	for {
		page, err := s.validations.Overdue(ctx, now, after, workPage)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if len(page) > 0 { // before a restart moves the deadline
			last := &page[len(page)-1]
			after = ports.Pos{At: last.Deadline, ID: last.ID}
		}
		for i := range page {
			err := s.endOrResume(ctx, &page[i])
			if errcodes.Of(err) == errcodes.KeyUnknown {
				missing[page[i].Sealed.KeyID] = true
				continue
			}
			failed = append(failed, err)
		}
		if len(page) < workPage {
			s.noteMissing(ctx, missing)
			return errors.Join(failed...)
		}
	}
}

// endOrResume ends a validation past its deadline, or resumes it if it has waited for its
// key. It returns [errcodes.KeyUnknown] if the key is missing.
func (s *Service) endOrResume(ctx context.Context, rec *ports.ValidationRecord) error {
	if waitsForKey(rec) {
		_, err := s.openAndResume(ctx, rec, s.cfg.Clock.Now()) // a tick that restarts many takes long
		if errors.Is(err, errFull) {
			return nil // a later tick has room
		}
		return err
	}
	v, err := s.endOverdue(ctx, rec)
	switch {
	case errcodes.Of(err) == errcodes.KeyUnknown:
		return nil // another process has ended it
	case err == nil && v.Status == ports.StatusPending:
		return errcodes.New(errcodes.KeyUnknown, "")
	default:
		return err
	}
}

// purge removes stale data, at most once a minute.
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
