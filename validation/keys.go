package validation

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// This file keeps validations pending whose sealing key is missing. The process that finds
// out sets the deadline to the time of creation, once. The record is then overdue for every
// process, so that each tick tries to open it. The first process that has the key sets a
// new deadline and starts a lookup, however many others lack the key: they only ever take
// the deadline away, and a lookup does not need it.
//
// A waiting record has no recovery work: a tick finds it in the list of overdue ones, and
// restart stores new work together with the new deadline. If a key returns that many wait
// for, a tick restarts as many as there is room for lookups (Config.MaxLookups, shared by
// the owners). The others go on waiting without an error until a later tick has room, so
// that each has its full time limit.

// waitsForKey reports whether a pending validation waits for its sealing key.
func waitsForKey(rec *ports.ValidationRecord) bool { return !rec.Deadline.After(rec.CreatedAt) }

// waitForKey stores that a pending validation waits for its sealing key. It returns
// [errcodes.Conflict] if another writer was first.
func (s *Service) waitForKey(ctx context.Context, rec *ports.ValidationRecord) error {
	if waitsForKey(rec) {
		return nil
	}
	rec.Deadline = rec.CreatedAt
	return s.save(ctx, rec, "", rec.CreatedAt)
}

// restart stores the deadline of a validation whose key has returned, and its recovery
// work. It returns [errcodes.Conflict] if another writer was first.
func (s *Service) restart(ctx context.Context, rec *ports.ValidationRecord, now time.Time) error {
	rec.Deadline = s.deadline(now)
	return s.save(ctx, rec, "", now, recovery(rec, now))
}

// missingKeys are the ids of the keys that the last tick missed.
type missingKeys struct {
	mu  sync.Mutex
	ids map[string]bool
}

// MissingKeys returns the ids of the sealing keys that pending validations waited for in
// this service's last [Service.Tick], in order. Until a process has these keys, the
// validations stay pending.
func (s *Service) MissingKeys() []string {
	s.missing.mu.Lock()
	defer s.missing.mu.Unlock()
	return slices.Sorted(maps.Keys(s.missing.ids))
}

// noteMissing stores the ids of the keys that a tick missed, and logs what has changed.
func (s *Service) noteMissing(ctx context.Context, ids map[string]bool) {
	s.missing.mu.Lock()
	defer s.missing.mu.Unlock()
	for id := range ids {
		if !s.missing.ids[id] {
			s.cfg.Logger.WarnContext(ctx, "a data key is missing: validations sealed with it stay pending until it is configured", "key", id)
		}
	}
	for id := range s.missing.ids {
		if !ids[id] {
			s.cfg.Logger.InfoContext(ctx, "a data key is no longer missing: no pending validation waits for it", "key", id)
		}
	}
	s.missing.ids = ids
}
