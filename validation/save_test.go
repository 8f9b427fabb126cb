package validation_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

// unsureStore follows a script. For each save: "lost" (not stored, outcome unknown),
// "late" (the same, but stored before the next save), "down" (rejected) or "" (stored).
// If it is blind, reads fail.
type unsureStore struct {
	ports.ValidationStore
	script []string
	blind  bool
	late   *ports.ValidationChange
}

var errUnsure = errcodes.New(errcodes.OutcomeUnknown, "")

func (s *unsureStore) Save(ctx context.Context, c ports.ValidationChange) error {
	if s.late != nil {
		if err := s.ValidationStore.Save(ctx, *s.late); err != nil {
			return err
		}
		s.late = nil
	}
	what := ""
	if len(s.script) > 0 {
		what, s.script = s.script[0], s.script[1:]
	}
	switch what {
	case "lost":
		return errUnsure
	case "late":
		kept := c
		kept.Events = append([]ports.Event(nil), c.Events...)
		s.late = &kept
		return errUnsure
	case "down":
		return errDown
	default:
		return s.ValidationStore.Save(ctx, c)
	}
}

func (s *unsureStore) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	if s.blind {
		return ports.ValidationRecord{}, errDown
	}
	return s.ValidationStore.Validation(ctx, owner, id)
}

// A save with an unknown outcome succeeds if it is found, and is otherwise unknown, but
// never a failure.
func TestASaveWithAnUnknownOutcomeIsResolved(t *testing.T) {
	for name, c := range map[string]struct {
		script []string
		blind  bool
		want   errcodes.Code
	}{
		"lost, then stored":             {[]string{"lost"}, false, ""},
		"stored late":                   {[]string{"late"}, false, ""},
		"lost, then rejected":           {[]string{"lost", "down"}, false, errcodes.OutcomeUnknown},
		"lost, and cannot be read back": {[]string{"lost"}, true, errcodes.OutcomeUnknown},
		"lost repeatedly":               {[]string{"lost", "lost", "lost", "lost", "lost", "lost", "lost", "lost"}, false, errcodes.OutcomeUnknown},
		"rejected":                      {[]string{"down"}, false, errcodes.StorageUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				p := w.process(w.first)
				p.ports.Validations = &unsureStore{ValidationStore: w.store.Validations(), script: c.script, blind: c.blind}
				r := <-w.ask(w.open(p), request())
				requireCode(w, c.want, r.err)
				if c.want == "" {
					require.Equal(w, ports.StatusVerified, r.v.Status)
					assert.Equal(w, int64(1), w.stored(r.v.ID).Version)
					assert.Equal(w, int64(1), r.v.Version)
				}
			})
		})
	}
}

// A tick ends all overdue validations, page by page, even if their work is missing.
func TestATickEndsAllOverdueValidations(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		dead := w.open(w.process(w.first))
		const many = 250
		all := make([]<-chan result, many)
		for i := range all {
			req := request()
			req.MerchantID = fmt.Sprintf("7f2f6f0e-4b1e-4c7e-9d58-%012d", i)
			all[i] = w.ask(dead, req)
		}
		for _, done := range all {
			require.Equal(w, ports.StatusPending, (<-done).v.Status)
		}
		require.NoError(w, dead.Stop(w.Context()))
		items, err := w.store.Work().Claim(w.Context(), validation.WorkRecover, time.Now().Add(time.Hour), time.Hour, 1000)
		require.NoError(w, err)
		require.Len(w, items, many)
		for _, item := range items {
			require.NoError(w, w.store.Work().Done(w.Context(), item))
		}
		pass(32 * time.Second)
		w.tick(w.open(w.process(w.second)))
		left, err := w.store.Validations().Overdue(w.Context(), time.Now(), ports.Pos{}, 1)
		require.NoError(w, err)
		assert.Empty(w, left)
	})
}
