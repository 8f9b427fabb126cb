package validation

import (
	"cmp"
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxAttempts bounds the retries of a change after a conflict, and of a save after an
// unknown outcome.
const maxAttempts = 8

var (
	errBusy    = errcodes.New(errcodes.StorageUnavailable, "The validation is changed too often by other processes; retry later")
	errChanged = errcodes.New(errcodes.Conflict, "")
)

// save stores the record's new state with its event, and increments rec.Version. A kind
// of "" means that nothing happened that a reader of events would see: only the deadline
// has moved.
//
// If the outcome of a save is unknown, save reads the record back to find out whether it
// was stored, another writer was first, or nothing happened. In the last case it repeats
// the save, which the version makes safe.
func (s *Service) save(ctx context.Context, rec *ports.ValidationRecord, kind string, at time.Time, work ...ports.WorkItem) error {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	change := ports.ValidationChange{Record: *rec, Work: work}
	if kind != "" {
		if err := b.event(rec, kind, at); err != nil {
			return err
		}
		change.Events = b.events[:]
	}
	if kind != EventAsked { // a change of connector is not audited
		change.Audit = ports.Audit(ctx, change.Events)
	}
	var unknown error
	for range maxAttempts {
		err := s.validations.Save(ctx, change)
		switch errcodes.Of(err) {
		case "":
			rec.Version++
			return nil
		case errcodes.OutcomeUnknown:
			unknown = err
		case errcodes.Conflict:
			if unknown == nil {
				return err
			}
		default:
			return cmp.Or(unknown, err)
		}
		stored, err := s.readBack(ctx, rec)
		switch {
		case errcodes.Of(err) == errcodes.Conflict:
			return err
		case err != nil:
			return unknown
		case stored:
			rec.Version++
			return nil
		}
	}
	return unknown
}

// readBack reports whether the record was stored as it is in rec. It returns
// [errcodes.Conflict] if another writer was first.
func (s *Service) readBack(ctx context.Context, rec *ports.ValidationRecord) (bool, error) {
	got, err := s.validations.Validation(ctx, rec.Owner, rec.ID)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return false, nil
	case err != nil:
		return false, err
	case got.Version == rec.Version:
		return false, nil
	case got.Version == rec.Version+1 && got.Status == rec.Status && got.Provider == rec.Provider && got.Deadline.Equal(rec.Deadline) &&
		string(got.Sealed.Data) == string(rec.Sealed.Data): // a change of provider or deadline alone keeps the sealed data
		return true, nil
	default:
		return false, errChanged
	}
}

// finish ends a validation with a result and stores it.
func (s *Service) finish(ctx context.Context, rec *ports.ValidationRecord, res *result) (ports.Validation, error) {
	kind, err := s.conclude(rec, res, s.cfg.Clock.Now())
	if err != nil {
		return ports.Validation{}, err
	}
	if err := s.seal(ctx, rec, &request{}, res); err != nil {
		return ports.Validation{}, err
	}
	if err := s.save(ctx, rec, kind, rec.EndedAt); err != nil {
		return ports.Validation{}, err
	}
	if rec.Version > 1 {
		s.cfg.Hooks.Ended(ctx, *rec, rec.EndedAt.Sub(rec.CreatedAt))
	}
	return validationOf(rec, res), nil
}

// end ends a stored validation unless it has ended, and returns its current state: the
// first result stays (I18). decide receives the request from the sealed record. If the
// record's key is missing, the validation stays pending and waits for it.
func (s *Service) end(ctx context.Context, owner, id string, decide func(r *request) result) (ports.Validation, error) {
	for range maxAttempts {
		rec, err := s.read(ctx, owner, id)
		if err != nil {
			return ports.Validation{}, err
		}
		if rec.Status.Terminal() {
			return s.reveal(ctx, &rec)
		}
		v, err := s.endRead(ctx, &rec, decide)
		if errcodes.Of(err) != errcodes.Conflict {
			return v, err
		}
	}
	return ports.Validation{}, errBusy
}

// endRead ends a pending validation as end does. It returns [errcodes.Conflict] if
// another writer was first.
func (s *Service) endRead(ctx context.Context, rec *ports.ValidationRecord, decide func(r *request) result) (ports.Validation, error) {
	r, _, err := s.open(ctx, rec)
	res := failure(rec, "", reasonLost)
	switch errcodes.Of(err) {
	case "":
		res = decide(&r)
	case errcodes.KeyUnknown:
		if err := s.waitForKey(ctx, rec); err != nil {
			return ports.Validation{}, err
		}
		return validationOf(rec, &result{}), nil
	case errcodes.CorruptRecord:
		s.report(ctx, "a pending validation could not be opened and ends as an error", err)
	default:
		return ports.Validation{}, err
	}
	return s.finish(ctx, rec, &res)
}

// endWith ends a validation with the answer of a lookup.
func (s *Service) endWith(ctx context.Context, l *lookup, id string) (ports.Validation, error) {
	return s.end(ctx, l.owner, id, func(r *request) result { return s.judge(r, &l.answer) })
}

// endOverdue ends a validation that is past its deadline.
func (s *Service) endOverdue(ctx context.Context, rec *ports.ValidationRecord) (ports.Validation, error) {
	return s.end(ctx, rec.Owner, rec.ID, func(*request) result { return failure(rec, ports.OutcomeTimeout, reasonOverdue) })
}

// failure returns the result of a pending validation that cannot continue.
func failure(rec *ports.ValidationRecord, outcome ports.Outcome, reason string) result {
	return result{on: OnFailure, provider: rec.Provider, kind: ports.External, outcome: outcome, reason: reason}
}

// read returns a record that [CheckRecord] accepts.
func (s *Service) read(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	rec, err := s.validations.Validation(ctx, owner, id)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return rec, CheckRecord(&rec)
}
