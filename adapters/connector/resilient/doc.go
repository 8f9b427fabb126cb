// Package resilient protects the callers of a provider that fails: it wraps any account
// connector with a circuit breaker, at most one retry, and a limit on concurrent
// lookups.
//
//	connector, err := resilient.New(provider, &resilient.Config{
//		OnStateChange: func(_ context.Context, c resilient.StateChange) { log.Info("breaker", "to", c.To) },
//	})
//	if err != nil {
//		return err
//	}
//
// ports.OutcomeOf's row of the answer table decides what counts: an unhealthy outcome
// is a failure, a healthy one a success, and one that says nothing about the provider,
// such as a caller that left, is not counted. The breaker opens when, within
// [Config.Window], at least [Config.MinCalls] were counted and [Config.FailurePercent]
// of them failed. For [Config.OpenFor], each lookup is then answered try_later without
// a call, with the remaining time; after that, one lookup is let through as a probe. If
// the probe is a success the breaker closes, if it is a failure the breaker opens
// again, and if it is not counted the next lookup is the probe.
//
// A lookup is repeated once where the table says that this may help, unless the
// provider bills failures, the breaker has opened, or the time to the deadline is
// less than [Config.RetryDelay] plus the duration of the first try.
//
// The breaker is github.com/failsafe-go/failsafe-go's. It uses the machine's clock,
// which cannot be replaced, so [Config] has no Clock; tests run in a testing/synctest
// bubble. The time that the breaker stays open is measured by the monotonic clock, the
// window by the time of day: when that is set back by more than the window, the breaker
// counts from zero.
package resilient
