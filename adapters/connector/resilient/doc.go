// Package resilient keeps a provider that fails from taking its callers along:
// it wraps any account connector with a circuit breaker, at most one retry, and a
// bound on lookups at a time.
//
//	connector, err := resilient.New(provider, &resilient.Config{
//		OnStateChange: func(_ context.Context, c resilient.StateChange) { log.Info("breaker", "to", c.To) },
//	})
//	if err != nil {
//		return err
//	}
//
// What counts is ports.OutcomeOf's row of the answer table: an unhealthy outcome
// counts as a failure, a healthy one as a success, and one that is no sign, such
// as a caller that left, as neither. The breaker opens when, within
// [Config.Window], at least [Config.MinCalls] were counted and
// [Config.FailurePercent] of them failed. For [Config.OpenFor] each lookup is
// then answered try_later without a call, with the time that is left; after
// that, one lookup is let through as a probe. A success closes the breaker, a
// failure opens it for as long again, and a probe that is no sign leaves its
// place to the next.
//
// A lookup is repeated once where the table says that this may help, unless the
// provider bills failures, the breaker has opened, or the deadline is nearer than
// [Config.RetryDelay] and the time that the first try took.
//
// The breaker is that of github.com/failsafe-go/failsafe-go. It reads the machine's
// clock, which cannot be injected there: hence [Config] has none. How long it stays
// open is by the monotonic reading, which nothing moves; what lies within the window,
// by the time of day: the breaker begins to count anew when that is set back by more
// than the window. Tests of code that uses the package run in a testing/synctest
// bubble.
package resilient
