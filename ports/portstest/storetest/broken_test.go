package storetest_test

import (
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// flawedStore is a store with one flaw, and the check that must catch it.
type flawedStore struct {
	flaw  string
	check string
	spoil func(b *bundle)
}

var flaws = map[string][]flawedStore{
	"RateLockStore": slices.Concat(recordFlaws, versionFlaws, changeFlaws, endingFlaws, keyFlaws, listingFlaws, outcomeFlaws),
	"Outbox":        slices.Concat(eventFlaws, eventIDFlaws, eventOrderFlaws, eventClaimFlaws),
	"DeadLetters":   slices.Concat(buriedFlaws, replayFlaws, replayedFlaws, discardFlaws, deadLetterOutcomeFlaws),
	"Work":          slices.Concat(itemFlaws, itemIDFlaws, itemClaimFlaws),
	"ClientStore":   clientFlaws,
	"TokenStore":    tokenFlaws,
	"ValidationStore": slices.Concat(validationFlaws, validationVersionFlaws, validationQueueFlaws,
		overdueFlaws, validationPurgeFlaws, validationOutcomeFlaws),
	"TransactionStore": slices.Concat(transactionFlaws, rawFlaws, transactionVersionFlaws, transactionEndFlaws,
		transactionQueueFlaws, transactionOutcomeFlaws),
	"ReportStore": slices.Concat(reportJobFlaws, reportVersionFlaws, reportClaimFlaws, reportExpiryFlaws,
		reportQueueFlaws, reportOutcomeFlaws),
	"AnswerCache": slices.Concat(answerFlaws, answerClaimFlaws, answerPurgeFlaws, answerOutcomeFlaws),
	"SecretStore": secretFlaws,
	"AuditTrail":  auditFlaws,
}

func TestACorrectStorePassesEveryCheck(t *testing.T) {
	for suite := range flaws {
		for _, check := range storetest.CheckNames(suite) {
			r := broken.Record(t, func(tb testing.TB) { storetest.RunStoreCheck(tb, suite, check, newBundle(tb).store()) })
			if r.Failed() || r.Skipped() {
				t.Errorf("%s: %s: failed %t, skipped %t\n%s", suite, check, r.Failed(), r.Skipped(), r.Text())
			}
		}
	}
}

func TestEveryFlawIsCaught(t *testing.T) {
	t.Parallel()
	for suite, flawed := range flaws {
		for _, s := range flawed {
			t.Run(suite+": "+s.flaw, func(t *testing.T) {
				t.Parallel()
				r := broken.Record(t, func(tb testing.TB) {
					b := newBundle(tb)
					s.spoil(b)
					storetest.RunStoreCheck(tb, suite, s.check, b.store())
				})
				if !r.Failed() {
					t.Errorf("the check %q did not catch it", s.check)
				}
			})
		}
	}
}

func TestEveryCheckHasAFlaw(t *testing.T) {
	caught := map[string][]string{}
	for suite, flawed := range flaws {
		for _, s := range flawed {
			caught[suite] = append(caught[suite], s.check)
		}
	}
	for suite, covered := range caught {
		checks := storetest.CheckNames(suite)
		for _, check := range checks {
			if !slices.Contains(covered, check) {
				t.Errorf("%s: no flaw shows that the check %q can fail", suite, check)
			}
		}
		slices.Sort(checks)
		if len(slices.Compact(checks)) != len(storetest.CheckNames(suite)) {
			t.Errorf("%s has two checks with the same name", suite)
		}
	}
}

func TestAnExceptionNeedsACheckAndAReason(t *testing.T) {
	names := storetest.CheckNames("TokenStore")
	for name, c := range map[string]struct {
		except map[string]string
		fails  bool
	}{
		"no exception":         {nil, false},
		"a check and a reason": {map[string]string{names[0]: "it cannot"}, false},
		"no such check":        {map[string]string{"a purge is loud": "it cannot"}, true},
		"no reason":            {map[string]string{names[0]: ""}, true},
	} {
		r := broken.Record(t, func(tb testing.TB) { storetest.CheckExceptions(tb, c.except, names) })
		if r.Failed() != c.fails {
			t.Errorf("%s: failed %t, want %t", name, r.Failed(), c.fails)
		}
	}
}

func TestASuiteSkipsWhatTheHarnessLacks(t *testing.T) {
	bare := storetest.Harness{Open: func(testing.TB) storetest.Store { return storetest.Store{} }}
	for name, suite := range map[string]func(*testing.T, storetest.Harness){
		"RateLockStore": storetest.RateLockStore,
		"Outbox":        storetest.Outbox,
		"Work":          storetest.Work,
		"DeadLetters":   storetest.DeadLetters,
		"ClientStore":   storetest.ClientStore,
		"TokenStore":    storetest.TokenStore,

		"ValidationStore":  storetest.ValidationStore,
		"TransactionStore": storetest.TransactionStore,
		"ReportStore":      storetest.ReportStore,
		"AnswerCache":      storetest.AnswerCache,
		"SecretStore":      storetest.SecretStore,
		"AuditTrail":       storetest.AuditTrail,
	} {
		t.Run(name, func(t *testing.T) { suite(t, bare) })
	}
}
