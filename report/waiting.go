package report

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// waiting contains, by owner, the ids of reports that were created here and are not known
// to have ended, least recently read first.
type waiting struct {
	mu     sync.Mutex
	ids    map[string][]string
	saving map[string]bool // the ids of reports whose first save has not returned: the store may not have them yet
	max    int
}

func newWaiting(most int) *waiting {
	return &waiting{ids: map[string][]string{}, saving: map[string]bool{}, max: most}
}

// add adds a report that is about to be saved. It reports false if the owner has no place
// left.
func (w *waiting) add(owner, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ids[owner]) >= w.max {
		return false
	}
	w.ids[owner] = append(w.ids[owner], id)
	w.saving[id] = true
	return true
}

// saved records that the first save of a report has returned.
func (w *waiting) saved(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.saving, id)
}

// drop removes a report if it is present.
func (w *waiting) drop(owner, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.ids[owner]
	i := slices.Index(ids, id)
	switch {
	case i < 0:
	case len(ids) == 1:
		delete(w.ids, owner)
	default:
		w.ids[owner] = slices.Delete(ids, i, i+1)
	}
}

// next returns up to n of the owner's saved reports and moves them to the end.
func (w *waiting) next(owner string, n int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var first, rest []string
	for _, id := range w.ids[owner] {
		if len(first) < n && !w.saving[id] {
			first = append(first, id)
		} else {
			rest = append(rest, id)
		}
	}
	w.ids[owner] = append(rest, first...)
	return first
}

// looks is how many reports are read when an owner has no place left. It is small because
// a rejection must be cheaper than a report.
const looks = 4

// reserve adds a report of the owner. If there is no place, it first drops reports that
// other processes have ended. If there is still none, it returns
// [errcodes.TooManyRequests].
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
