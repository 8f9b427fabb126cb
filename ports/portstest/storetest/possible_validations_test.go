package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// A store may reject invalid validations, as it may rate locks.
func TestTheValidationSuiteSavesOnlyValidRecords(t *testing.T) {
	for _, check := range storetest.CheckNames("ValidationStore") {
		t.Run(check, func(t *testing.T) {
			b := newBundle(t)
			var impossible []string
			var mu sync.Mutex
			savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
				mu.Lock()
				defer mu.Unlock()
				impossible = append(impossible, impossibleIn(c.Record)...)
				return save(ctx, c)
			})(b)
			storetest.RunStoreCheck(t, "ValidationStore", check, b.store())
			if len(impossible) > 0 {
				t.Errorf("the check saves an invalid record:\n%s", strings.Join(impossible, "\n"))
			}
		})
	}
}

// impossibleIn lists the faults that no service can have put into a record.
func impossibleIn(v ports.ValidationRecord) []string {
	var found []string
	says := func(wrong bool, what string) {
		if wrong {
			found = append(found, fmt.Sprintf("%.40q, %s: %s", v.ID, v.Status, what))
		}
	}
	before := func(t time.Time) bool { return !t.IsZero() && t.Before(v.CreatedAt) }
	terminal, rules := v.Status.Terminal(), v.Provider == ports.ProviderRules
	says(v.ID == "", "no id")
	says(v.CreatedAt.IsZero() || v.PurgeAt.IsZero(), "no creation or no purge")
	says(before(v.Deadline) || before(v.EndedAt) || before(v.ExpiresAt) || before(v.PurgeAt), "a time before the creation")
	says(terminal == v.EndedAt.IsZero(), "EndedAt and Status disagree")
	says(terminal == (v.Type == ""), "Type and Status disagree")
	says(!terminal && v.Deadline.IsZero(), "no deadline")
	says(!terminal && (v.Outcome != "" || v.Cached || v.NameRule != "" || v.NameScore != 0 || !v.ExpiresAt.IsZero()), "a result before the end")
	says(terminal && rules != (v.Type == ports.InternalRules), "Provider and Type disagree")
	says(rules && (v.Outcome != "" || v.Cached), "an outcome of internal rules")
	says(v.NameScore < 0 || v.NameScore > 100, "a score outside 0 to 100")
	says(v.Sealed.KeyID == "" && len(v.Sealed.Data) > 0, "sealed data without a key")
	return found
}
