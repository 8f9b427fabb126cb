// Package storemodel contains the models that corridor's stores are tested
// against. A test makes the same random calls to a store and to its model, and
// compares the results. The model of most ports is the memory store, whose own
// tests compare it with a plain statement of the rules. The model of the answer
// cache is such a statement. A store's test of each port is one line:
//
//	func TestOutboxModel(t *testing.T) { storemodel.Outbox(t, shared(t)) }
//
// It also contains what else these tests share: example records, generators of all
// valid records, and records that a store must reject. Authors of other stores use
// ports/portstest/storetest, which checks each requirement by name.
package storemodel

import (
	"github.com/corridor-go/corridor/ports"
)

// Store implements every port that has a model.
type Store interface { //nolint:interfacebloat // it combines all ports
	RateLocks() ports.RateLockStore
	Validations() ports.ValidationStore
	Transactions() ports.TransactionStore
	Reports() ports.ReportStore
	Answers() ports.AnswerCache
	Outbox() ports.Outbox
	Work() ports.Work
	DeadLetters() ports.DeadLetters
}

// Fresh returns at least two empty stores that share their records. It may return
// the same stores each time, emptied.
type Fresh func() []Store
