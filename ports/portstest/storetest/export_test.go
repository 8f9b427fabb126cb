package storetest

import (
	"testing"

	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var storeSuites = map[string][]storeCheck{
	"RateLockStore": rateLockChecks,
	"Outbox":        outboxChecks,
	"Work":          workChecks,
	"DeadLetters":   deadLetterChecks,
	"ClientStore":   clientChecks,
	"TokenStore":    tokenChecks,

	"ValidationStore":  validationChecks,
	"TransactionStore": transactionChecks,
	"ReportStore":      reportChecks,
	"AnswerCache":      answerCacheChecks,
	"SecretStore":      secretChecks,
	"AuditTrail":       auditChecks,
}

// CheckNames returns the names of a suite's checks.
func CheckNames(suite string) []string { return kit.Names(storeSuites[suite]) }

// RunStoreCheck runs one check of a store suite.
func RunStoreCheck(tb testing.TB, suite, name string, s Store) {
	kit.One(suite, storeSuites[suite], name, &storeKit{Kit: kit.Kit{TB: tb}, Store: s})
}

// CheckExceptions checks the exceptions of a harness.
var CheckExceptions = kit.CheckExceptions
