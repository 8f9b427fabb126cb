package validation

import (
	"cmp"
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxAttempts bounds how often a change is decided again after a conflict, or stored
// again after an unknown outcome.
const maxAttempts = 8

var (
	errBusy    = errcodes.New(errcodes.StorageUnavailable, "The validation is too busy; retry later")
	errChanged = errcodes.New(errcodes.Conflict, "")
)

// save stores the record's new state with its event, and raises rec.Version.
//
// If the outcome of a save is unknown, save reads the record back: it is stored, or
// another writer was first, or nothing happened. Then the same save is made again,
// which the version lets happen once.
func (s *Service) save(ctx context.Context, rec *ports.ValidationRecord, kind string, at time.Time, work ...ports.WorkItem) error {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	if err := b.event(rec, kind, at); err != nil {
		return err
	}
	change := ports.ValidationChange{Record: *rec, Events: b.events[:], Work: work}
	if kind != EventAsked { // whom a lookup asks is no act
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

// readBack reports whether the record is stored as it is here, or returns
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
	case got.Version == rec.Version+1 && got.Status == rec.Status && got.Provider == rec.Provider &&
		string(got.Sealed.Data) == string(rec.Sealed.Data): // which a change of provider leaves as they were
		return true, nil
	default:
		return false, errChanged
	}
}

// finish stores a validation with its result.
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

// end ends a stored validation that is still pending, and returns it as it is then:
// the first result stays (I18). decide gets the request that the record has sealed.
func (s *Service) end(ctx context.Context, owner, id string, decide func(r *request) result) (ports.Validation, error) {
	for range maxAttempts {
		rec, err := s.read(ctx, owner, id)
		if err != nil {
			return ports.Validation{}, err
		}
		if rec.Status.Terminal() {
			return s.reveal(ctx, &rec)
		}
		r, _, err := s.open(ctx, &rec)
		res := failure(&rec, "", reasonLost)
		switch {
		case err == nil:
			res = decide(&r)
		case !lost(err):
			return ports.Validation{}, err
		default:
			s.report(ctx, "a pending validation could not be opened and ends as an error", err)
		}
		ended, err := s.finish(ctx, &rec, &res)
		if errcodes.Of(err) != errcodes.Conflict {
			return ended, err
		}
	}
	return ports.Validation{}, errBusy
}

// endWith ends a validation with the answer of a lookup.
func (s *Service) endWith(ctx context.Context, l *lookup, id string) (ports.Validation, error) {
	return s.end(ctx, l.owner, id, func(r *request) result { return s.judge(r, &l.answer) })
}

// endOverdue ends a validation that nobody has ended in time.
func (s *Service) endOverdue(ctx context.Context, rec *ports.ValidationRecord) (ports.Validation, error) {
	return s.end(ctx, rec.Owner, rec.ID, func(*request) result { return failure(rec, ports.OutcomeTimeout, reasonOverdue) })
}

// failure is the result of a pending validation that cannot go on.
func failure(rec *ports.ValidationRecord, outcome ports.Outcome, reason string) result {
	return result{on: OnFailure, provider: rec.Provider, kind: ports.External, outcome: outcome, reason: reason}
}

// lost reports whether sealed data can never be opened again by this process.
func lost(err error) bool {
	code := errcodes.Of(err)
	return code == errcodes.KeyUnknown || code == errcodes.CorruptRecord
}

// read returns a record that is sound.
func (s *Service) read(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	rec, err := s.validations.Validation(ctx, owner, id)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return rec, CheckRecord(&rec)
}
