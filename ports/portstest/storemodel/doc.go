// Package storemodel has the models that the stores of corridor are tested
// against: the memory store, whose own tests compare it with the rules written down
// plainly, and for answers those rules. A store and its model are asked the same in
// any order. A store's test calls each in one line:
//
//	func TestOutboxModel(t *testing.T) { storemodel.Outbox(t, shared(t)) }
//
// It has what else these tests share, too: records to begin with, all the records
// that the rules allow, and those that no table may take. An outside author has
// ports/portstest/storetest, which asks for each behaviour by its name.
package storemodel

import (
	"github.com/corridor-go/corridor/ports"
)

// Store is a store of every port that a model speaks of.
type Store interface { //nolint:interfacebloat // it is no port, but all of them
	RateLocks() ports.RateLockStore
	Validations() ports.ValidationStore
	Transactions() ports.TransactionStore
	Reports() ports.ReportStore
	Answers() ports.AnswerCache
	Outbox() ports.Outbox
	Work() ports.Work
	DeadLetters() ports.DeadLetters
}

// Fresh returns at least two stores of the same records, which are empty. It may
// return the same stores each time, emptied.
type Fresh func() []Store
