package portstest_test

import (
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports/portstest"
)

// saboteur is a store with one flaw, and the check that must catch it.
type saboteur struct {
	flaw  string
	check string
	spoil func(b *bundle)
}

var saboteurs = map[string][]saboteur{
	"RateLockStore": slices.Concat(recordSaboteurs, versionSaboteurs, changeSaboteurs, endingSaboteurs, keySaboteurs, listingSaboteurs, outcomeSaboteurs),
	"Outbox":        slices.Concat(eventSaboteurs, eventIDSaboteurs, eventOrderSaboteurs, eventClaimSaboteurs),
	"DeadLetters":   slices.Concat(buriedSaboteurs, replaySaboteurs, replayedSaboteurs, discardSaboteurs, deadLetterOutcomeSaboteurs),
	"Work":          slices.Concat(itemSaboteurs, itemIDSaboteurs, itemClaimSaboteurs),
	"ClientStore":   clientSaboteurs,
	"TokenStore":    tokenSaboteurs,
	"ValidationStore": slices.Concat(validationSaboteurs, validationVersionSaboteurs, validationQueueSaboteurs,
		overdueSaboteurs, validationPurgeSaboteurs, validationOutcomeSaboteurs),
	"TransactionStore": slices.Concat(transactionSaboteurs, rawSaboteurs, transactionVersionSaboteurs, transactionEndSaboteurs,
		transactionQueueSaboteurs, transactionOutcomeSaboteurs),
	"ReportStore": slices.Concat(reportJobSaboteurs, reportVersionSaboteurs, reportClaimSaboteurs, reportExpirySaboteurs,
		reportQueueSaboteurs, reportOutcomeSaboteurs),
	"AnswerCache": slices.Concat(answerSaboteurs, answerClaimSaboteurs, answerPurgeSaboteurs, answerOutcomeSaboteurs),
	"SecretStore": secretSaboteurs,
}

func TestASoundStorePassesEveryCheck(t *testing.T) {
	for suite := range saboteurs {
		for _, check := range portstest.CheckNames(suite) {
			r := record(t, func(tb testing.TB) { portstest.RunStoreCheck(tb, suite, check, newBundle(tb).store()) })
			if r.failed || r.skipped {
				t.Errorf("%s: %s: failed %t, skipped %t\n%s", suite, check, r.failed, r.skipped, r.text)
			}
		}
	}
}

func TestEveryFlawIsCaught(t *testing.T) {
	t.Parallel()
	for suite, flawed := range saboteurs {
		for _, s := range flawed {
			t.Run(suite+": "+s.flaw, func(t *testing.T) {
				t.Parallel()
				r := record(t, func(tb testing.TB) {
					b := newBundle(tb)
					s.spoil(b)
					portstest.RunStoreCheck(tb, suite, s.check, b.store())
				})
				if !r.failed {
					t.Errorf("the check %q did not catch it", s.check)
				}
			})
		}
	}
}

func TestEveryCheckHasASaboteur(t *testing.T) {
	caught := map[string][]string{}
	for suite, flawed := range saboteurs {
		for _, s := range flawed {
			caught[suite] = append(caught[suite], s.check)
		}
	}
	for _, s := range sinkSaboteurs {
		caught["EventSink"] = append(caught["EventSink"], s.check)
	}
	for _, s := range clockSaboteurs {
		caught["Clock"] = append(caught["Clock"], s.check)
	}
	for _, s := range sealerSaboteurs {
		caught["Sealer"] = append(caught["Sealer"], s.check)
	}
	for suite, covered := range caught {
		checks := portstest.CheckNames(suite)
		for _, check := range checks {
			if !slices.Contains(covered, check) {
				t.Errorf("%s: no saboteur shows that the check %q can fail", suite, check)
			}
		}
		slices.Sort(checks)
		if len(slices.Compact(checks)) != len(portstest.CheckNames(suite)) {
			t.Errorf("%s has two checks of one name", suite)
		}
	}
}

func TestAnExceptionNeedsACheckAndAReason(t *testing.T) {
	names := portstest.CheckNames("TokenStore")
	for name, c := range map[string]struct {
		except map[string]string
		fails  bool
	}{
		"no exception":         {nil, false},
		"a check and a reason": {map[string]string{names[0]: "it cannot"}, false},
		"no such check":        {map[string]string{"a purge is loud": "it cannot"}, true},
		"no reason":            {map[string]string{names[0]: ""}, true},
	} {
		r := record(t, func(tb testing.TB) { portstest.CheckExceptions(tb, c.except, names) })
		if r.failed != c.fails {
			t.Errorf("%s: failed %t, want %t", name, r.failed, c.fails)
		}
	}
}

func TestASuiteLeavesOutWhatIsNotThere(t *testing.T) {
	bare := portstest.StoreHarness{Open: func(testing.TB) portstest.Store { return portstest.Store{} }}
	for name, suite := range map[string]func(*testing.T, portstest.StoreHarness){
		"RateLockStore": portstest.RateLockStore,
		"Outbox":        portstest.Outbox,
		"Work":          portstest.Work,
		"DeadLetters":   portstest.DeadLetters,
		"ClientStore":   portstest.ClientStore,
		"TokenStore":    portstest.TokenStore,

		"ValidationStore":  portstest.ValidationStore,
		"TransactionStore": portstest.TransactionStore,
		"ReportStore":      portstest.ReportStore,
		"AnswerCache":      portstest.AnswerCache,
		"SecretStore":      portstest.SecretStore,
	} {
		t.Run(name, func(t *testing.T) { suite(t, bare) })
	}
}
