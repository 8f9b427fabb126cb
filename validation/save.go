package validation

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxAttempts bounds how often a change is decided again after a conflict, or
// stored again after an unknown outcome.
const maxAttempts = 8

var errBusy = errcodes.New(errcodes.StorageUnavailable, "The validation is too busy; retry later")

// save stores the record's new state with its event, and raises rec.Version.
//
// When the outcome of a save is unknown, the record is read back: what is there
// is ours or another's, and if nothing is, the same save is made again, which
// the version lets happen once.
func (s *Service) save(ctx context.Context, rec *ports.ValidationRecord, kind string, at time.Time, work ...ports.WorkItem) error {
	room := s.room.take()
	defer s.room.giveBack(room)
	if err := room.event(rec, kind, at); err != nil {
		return err
	}
	change := ports.ValidationChange{Record: *rec, Events: room.events[:], Work: work}
	var unsure error
	for range maxAttempts {
		err := s.validations.Save(ctx, change)
		switch errcodes.Of(err) {
		case "":
			rec.Version++
			return nil
		case errcodes.OutcomeUnknown:
			unsure = err
		case errcodes.Conflict:
			if unsure == nil {
				return err
			}
		default:
			return either(unsure, err)
		}
		ours, err := s.readBack(ctx, rec)
		switch {
		case err != nil:
			return either(unsure, err)
		case ours == saved:
			rec.Version++
			return nil
		case ours == overtaken:
			return errcodes.New(errcodes.Conflict, "")
		}
	}
	return either(unsure, errBusy)
}

// trace is what a record read back tells of a save.
type trace int

const (
	absent    trace = iota // it did not happen
	saved                  // it did
	overtaken              // another writer was first
)

func (s *Service) readBack(ctx context.Context, rec *ports.ValidationRecord) (trace, error) {
	got, err := s.validations.Validation(ctx, rec.Owner, rec.ID)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return absent, nil
	case err != nil:
		return absent, err
	case got.Version == rec.Version:
		return absent, nil
	case got.Version == rec.Version+1 && got.Status == rec.Status && got.Provider == rec.Provider &&
		string(got.Sealed.Data) == string(rec.Sealed.Data): // which a change of provider leaves as they were
		return saved, nil
	default:
		return overtaken, nil
	}
}

// either gives the first that is an error.
func either(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// finish stores a validation that has come to its end in the call that made it.
func (s *Service) finish(ctx context.Context, rec *ports.ValidationRecord, v *verdict) (ports.Validation, error) {
	now := s.cfg.Clock.Now()
	kind, p, err := s.conclude(rec, v, now)
	if err != nil {
		return ports.Validation{}, err
	}
	if err := s.seal(ctx, rec, &p); err != nil {
		return ports.Validation{}, err
	}
	if err := s.save(ctx, rec, kind, rec.EndedAt); err != nil {
		return ports.Validation{}, err
	}
	if rec.Version > 1 {
		s.cfg.Hooks.Settled(*rec, rec.EndedAt.Sub(rec.CreatedAt))
	}
	return shown(rec, &p), nil
}

// settle ends a stored validation that is still pending, and gives it as it is
// then: the first end stays (I18). decide gets what only the record's sealed
// part knows.
func (s *Service) settle(ctx context.Context, owner, id string, decide func(p *private) verdict) (ports.Validation, error) {
	for range maxAttempts {
		rec, err := s.read(ctx, owner, id)
		if err != nil {
			return ports.Validation{}, err
		}
		if rec.Status.Terminal() {
			return s.reveal(ctx, &rec)
		}
		p, err := s.open(ctx, &rec)
		v := unreadable(&rec)
		switch {
		case err == nil:
			v = decide(&p)
		case !lost(err):
			return ports.Validation{}, err
		default:
			s.note(ctx, "a pending validation could not be opened and ends as an error", err)
		}
		ended, err := s.finish(ctx, &rec, &v)
		if errcodes.Of(err) != errcodes.Conflict {
			return ended, err
		}
	}
	return ports.Validation{}, errBusy
}

// settleWith ends a validation with the end of a flight.
func (s *Service) settleWith(ctx context.Context, f *flight, id string) (ports.Validation, error) {
	return s.settle(ctx, f.owner, id, func(p *private) verdict { return s.judge(p.supplied, p.digits, &f.end) })
}

// unreadable is the end of a validation whose sealed part is lost.
func unreadable(rec *ports.ValidationRecord) verdict {
	return verdict{on: OnFailure, provider: rec.Provider, kind: ports.External, reason: reasonLost}
}

// lost reports whether sealed data can never be opened again by this process.
func lost(err error) bool {
	code := errcodes.Of(err)
	return code == errcodes.KeyUnknown || code == errcodes.CorruptRecord
}

// read gives a record that is sound.
func (s *Service) read(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	rec, err := s.validations.Validation(ctx, owner, id)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return rec, CheckRecord(&rec)
}
