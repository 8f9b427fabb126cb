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
//	go accounts.Run(ctx) // resumes validations of processes that died; purges
//	v, err := accounts.Validate(ctx, client, req) // a market.Request
//	if err == nil && v.Status == ports.StatusPending {
//		v, err = accounts.Wait(ctx, client, v.ID)
//	}
//
// Pay only if v.Status is verified and v.Type is [ports.External]: without a provider's
// answer, verified means that the check digit fits, as with one wrong number in ten.
// Otherwise v.Definite reports whether the result is about the account: a closed account
// stays closed, but a provider that is down may answer later.
//
// # How a request is processed
//
// These are the terms. A request asks about an account on behalf of its owner. A lookup
// calls the connectors until it has an answer, which is what a provider says about the
// account. A result is the answer judged for one request, with the name that its caller
// supplied. The record stores the result. A claim ensures that only one process at a time
// looks an account up. The cache stores answers, and in memory also results, for later
// requests.
//
//	step                           if it decides                                file
//	the rules: market.Check        error, or not_found by a check digit         result.go
//	an equal request's result      the same record under another id             repeat.go
//	a cached answer                result                                       service.go
//	a lookup, joined or begun      result, or pending after Config.Window       wait.go
//	- the claim of the account     waits if another process has it             lookup.go
//	- the connectors in order      answer, by the table ports.OutcomeRules      ask.go
//	- the answer is cached         for Policy.AnswerTTL                         lookup.go
//	the names compared             verified or name_mismatch                    result.go
//	the record stored              the caller's answer, and one event           save.go
//
// Simultaneous requests about one account share one lookup, also across processes. Each
// connector gets an equal share of the remaining time. The cache stores the provider's
// answer, never the comparison with a caller's name (I20).
//
// A caller receives the result within two seconds, or else a pending validation with an
// id, which ends later even if the process that started it dies (I17, I19; recover.go).
// If the key of its sealed request is missing, it stays pending until a process has the
// key (keys.go). Terminal states are final (I18).
//
// # The rules alone
//
// Two packages contain the rules as data and pure functions, for programs that need no
// service: validation/market has the markets, bank codes, check digits and mobile
// numbers, and validation/names compares the names of account holders.
//
// # Personal data
//
// Account numbers, names and providers' messages are sealed, bound to owner and id,
// before they reach a store, and never appear in a log, an event or an error text
// (sealed.go). A pending record contains its sealed request. A terminal record contains
// its sealed result, without the account number. A result is purged together with its
// answer unless Policy.KeepFor is longer.
//
// The package reaches providers, stores, cache and keys only through package ports.
// Processes that share a store must agree on the time (Config.Clock) to within
// Config.Grace: a process whose clock is further ahead ends the pending validations of
// the others too early, as errors.
package validation
