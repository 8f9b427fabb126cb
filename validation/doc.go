// Package validation finds out whether an account can be paid, before a payout is sent
// to it: a bank account, a mobile-money number or an institution wallet (SPEC 2.7, 2.8
// and 4.7).
//
//	accounts, err := validation.New(validation.Ports{
//		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
//		Connectors: connectors, // in the order in which they are asked
//	}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
//	if err != nil {
//		return err
//	}
//	go accounts.Run(ctx) // takes up what a dead process left pending; purges
//	v, err := accounts.Validate(ctx, client, req) // a market.Request
//	if err == nil && v.Status == ports.StatusPending {
//		v, err = accounts.Wait(ctx, client, v.ID)
//	}
//
// Of a v that is not verified, v.Definite reports whether it is about the account: a
// closed account stays closed, but a provider that is down may answer later.
//
// # The way of a request
//
// Eight words name the parts. A request asks about an account of its owner. A lookup
// asks the connectors and finds an answer, what a provider says about the account. The
// result is that answer judged for one request, with the name that its caller supplied.
// The record stores the result. A claim lets one process at a time look an account up,
// and the cache keeps answers, and in memory results, for later requests.
//
//	step                           if it decides                                file
//	the rules: market.Check        error, or not_found by a check digit         result.go
//	an equal request's result      the same record under another id             repeat.go
//	a kept answer                  result                                       service.go
//	a lookup, joined or begun      result, or pending after Config.Window       wait.go
//	- the claim of the account     another process asks: wait for its answer    lookup.go
//	- the connectors in order      answer, by the table ports.OutcomeRules      ask.go
//	- the answer is kept           for Policy.AnswerTTL                         lookup.go
//	the names compared             verified or name_mismatch                    result.go
//	the record stored              the caller's answer, and one event           save.go
//
// All who ask about an account at once share one lookup, here and in other processes.
// Each connector has an equal share of the time that is left. The cache keeps the
// provider's answer, never the comparison with a caller's name (I20).
//
// A caller gets the result within two seconds, or a pending validation with an id,
// which ends later even if the process that started it dies (I17, I19; recover.go).
// Terminal states are final (I18).
//
// # The rules alone
//
// Two packages below this one hold the rules as data and pure functions, for programs
// that need no service. Package validation/market has the markets, bank codes, check
// digits and mobile numbers. Package validation/names compares the names of account
// holders.
//
// # Personal data
//
// Account numbers, names and providers' messages are sealed, bound to owner and id,
// before any store sees them, and never reach a log, an event or an error text
// (sealed.go). A pending record seals its request, an ended one its result, which has
// no account number. A result is removed with its answer, unless Policy.KeepFor keeps
// it longer.
//
// Providers, stores, cache and keys reach the package through package ports. The time
// comes from Config.Clock. Processes that share a store must agree on it to within
// Config.Grace: one that is further ahead ends the pending validations of the others
// too early, as errors.
package validation
