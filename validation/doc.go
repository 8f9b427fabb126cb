// Package validation answers whether an account can be paid, before a payout
// is sent to it: a bank account, a mobile-money number or an institution
// wallet (SPEC 2.7, 2.8 and 4.7).
//
//	accounts, err := validation.New(validation.Ports{
//		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
//	}, connectors, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
//	if err != nil {
//		return err
//	}
//	go accounts.Run(ctx) // takes up what a dead process left pending; purges
//	v, err := accounts.Validate(ctx, client, req) // a market.Request
//	if err == nil && v.Status == ports.StatusPending {
//		v, err = accounts.Wait(ctx, client, v.ID)
//	}
//
// # The way of a request
//
// [market.Check] first: the market, the bank code, the identifier's form and
// check digit, as data and pure functions. Then the answer that is kept of an
// earlier request, or one lookup for all who ask at once, here and in other
// processes.
// The connectors that serve the market are asked in their order, each with a
// fair share of the time; the answer table (ports.OutcomeRules) says after
// which answers the next one is asked, and which answers are kept. The holder's
// name is compared last, with the name that this caller supplied
// ([names.Compare]): what is kept is the provider's answer, never the verdict on
// a name (I20).
//
// A caller gets the result within two seconds, or a pending validation with an
// id that comes to its end later, also when the process that started it died
// (I17, I19). An end is for good (I18).
//
// # The rules alone
//
// Two packages below this one hold the rules as data and pure functions, for
// programs that need no service. Package validation/market has the markets,
// bank codes, check digits and mobile numbers. Package validation/names compares
// the names of account holders.
//
// # Personal data
//
// Account numbers, names and providers' messages are sealed, bound to owner and
// id, before any store sees them, and never reach a log, an event or an error
// text. What has ended keeps no account number. A result goes with the answer
// that it rests on, unless Policy.KeepFor keeps it longer.
//
// Providers, stores, cache and keys reach the package through package ports.
// The time comes from Config.Clock. Processes that share a store must agree on
// it to within Config.Grace: one that is further ahead ends the pending
// validations of the others too early, as errors.
package validation
