package memory

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// validationState keeps validations by id. Only pending ones are also sorted, since
// most end in the save that creates them.
type validationState struct {
	byID    map[string]*ports.ValidationRecord // the pointed-to records never change
	pending *sorted[*ports.ValidationRecord]
	ended   purgeIndex[*ports.ValidationRecord] // by PurgeAt
}

func newValidationState() validationState {
	return validationState{
		byID:    map[string]*ports.ValidationRecord{},
		pending: newSorted(byDeadline),
		ended:   newPurgeIndex[*ports.ValidationRecord](),
	}
}

func byDeadline(a, b *ports.ValidationRecord) int {
	return cmp.Or(a.Deadline.Compare(b.Deadline), strings.Compare(a.ID, b.ID))
}

// admits reports whether v may be stored: either it is new and its id is unused, or the
// stored record has its version and owner and is pending (I18).
func (s *validationState) admits(v *ports.ValidationRecord) bool {
	old := s.byID[v.ID]
	if old == nil {
		return v.Version == 0
	}
	return old.Version == v.Version && old.Owner == v.Owner && !old.Status.Terminal()
}

// put stores an admitted record and updates pending and ended.
func (s *validationState) put(v *ports.ValidationRecord) {
	if v.Version > 1 {
		s.pending.remove(s.byID[v.ID])
	}
	s.byID[v.ID] = v
	if v.Status.Terminal() {
		s.ended.add(v.PurgeAt, v)
	} else {
		s.pending.insert(v)
	}
}

// storedValidation returns the record as the store keeps it.
func storedValidation(v *ports.ValidationRecord) *ports.ValidationRecord {
	c := *v
	c.Version++
	for _, t := range [...]*time.Time{&c.CreatedAt, &c.Deadline, &c.EndedAt, &c.ExpiresAt, &c.PurgeAt} {
		*t = ports.Millis(*t)
	}
	c.Sealed.Data = bytes.Clone(c.Sealed.Data)
	return &c
}

// copyValidation returns a deep copy of v.
func copyValidation(v *ports.ValidationRecord) ports.ValidationRecord {
	c := *v
	c.Sealed.Data = bytes.Clone(c.Sealed.Data)
	return c
}

// validations implements ports.ValidationStore.
type validations struct{ s *Store }

func (v validations) Save(ctx context.Context, change ports.ValidationChange) error {
	if err := ports.CheckQueued(change.Events, change.Work, change.Audit); err != nil {
		return err
	}
	kept := storedValidation(&change.Record) // copied before the lock
	if err := v.s.writing(ctx); err != nil {
		return err
	}
	defer v.s.mu.Unlock()
	if !v.s.validations.admits(&change.Record) || !v.s.admitsWork(change.Work) {
		return errValidationChanged
	}
	if err := v.s.faults(BeforeCommit); err != nil {
		return err
	}
	v.s.validations.put(kept)
	v.s.enqueue(change.Events, change.Work, change.Audit)
	return v.s.faults(AfterCommit)
}

func (v validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	if err := v.s.reading(ctx); err != nil {
		return ports.ValidationRecord{}, err
	}
	kept := v.s.validations.byID[id]
	v.s.mu.RUnlock()
	if kept == nil || kept.Owner != owner {
		return ports.ValidationRecord{}, errNoValidation
	}
	return copyValidation(kept), nil
}

func (v validations) Overdue(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	if err := v.s.reading(ctx); err != nil {
		return nil, err
	}
	defer v.s.mu.RUnlock()
	probe := &ports.ValidationRecord{Deadline: after.At, ID: after.ID}
	var found []ports.ValidationRecord
	for p := range v.s.validations.pending.from(probe) {
		if p.Deadline.After(by) || len(found) == limit {
			break
		}
		if byDeadline(p, probe) != 0 {
			found = append(found, copyValidation(p))
		}
	}
	return found, nil
}

func (v validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	if err := v.s.writing(ctx); err != nil {
		return 0, err
	}
	defer v.s.mu.Unlock()
	state := &v.s.validations
	return state.ended.sweep(before, n, func(p *ports.ValidationRecord) sweepResult {
		if p.PurgeAt.After(before) {
			return notDue
		}
		delete(state.byID, p.ID)
		return purged
	}), nil
}
