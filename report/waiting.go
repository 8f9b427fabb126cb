package report

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// waiting are the reports that were asked for here and are not known to have
// ended, by owner, the one that was looked at longest ago first.
type waiting struct {
	mu  sync.Mutex
	of  map[string][]string
	max int
}

func newWaiting(most int) *waiting { return &waiting{of: map[string][]string{}, max: most} }

// add takes a place for the owner's report, if there is one.
func (w *waiting) add(owner, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.of[owner]) >= w.max {
		return false
	}
	w.of[owner] = append(w.of[owner], id)
	return true
}

// drop frees the place of a report, if it has one here.
func (w *waiting) drop(owner, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.of[owner]
	i := slices.Index(ids, id)
	switch {
	case i < 0:
	case len(ids) == 1:
		delete(w.of, owner)
	default:
		w.of[owner] = slices.Delete(ids, i, i+1)
	}
}

// next gives the reports to look at, and puts them behind the others.
func (w *waiting) next(owner string, n int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.of[owner]
	if n = min(n, len(ids)); n == 0 {
		return nil
	}
	first := slices.Clone(ids[:n])
	w.of[owner] = append(slices.Delete(ids, 0, n), first...)
	return first
}

// looks is how many reports one who finds no place looks at: few, since a refusal
// must cost less than what is refused.
const looks = 4

// reserve takes a place for a report of the owner's. Where all are taken some are
// looked at, which another process may have ended meanwhile.
func (s *Service) reserve(ctx context.Context, owner, id string) error {
	if s.waiting.add(owner, id) {
		return nil
	}
	for _, other := range s.waiting.next(owner, looks) {
		j, err := s.Get(ctx, owner, other)
		if errcodes.Of(err) == errcodes.NotFound || err == nil && j.Status.Terminal() {
			s.waiting.drop(owner, other)
		}
	}
	if s.waiting.add(owner, id) {
		return nil
	}
	return errcodes.New(errcodes.TooManyRequests, "Too many reports are being made; retry later").WithRetryAfter(retryReports)
}

const retryReports = 10 * time.Second
