// Package river runs background work on riverqueue/river, a job queue in PostgreSQL.
// It is for services of several processes on adapters/postgres.
//
//	queue, err := river.New(ctx, pool, &river.Config{
//		Kinds: []string{validation.WorkRecover, authstate.WorkTimeout},
//		Wake:  map[string]string{"report.created": "reports"},
//	})
//	if err != nil {
//		return err
//	}
//	store, err := postgres.New(ctx, pool, &postgres.Config{Hook: queue})
//	…
//	accounts, err := validation.New(validation.Ports{Work: store.Work(), …}, …)
//	…
//	err = queue.Run(ctx, river.Jobs{
//		Work: map[string]river.Tick{
//			validation.WorkRecover: accounts.Tick,
//			authstate.WorkTimeout:  payments.Tick,
//		},
//		Tickers: []river.Ticker{
//			{Name: "drift", Every: 2 * time.Second, Tick: locks.Tick, Stays: true},
//			{Name: "reports", Every: time.Minute, Tick: reports.Tick, Timeout: time.Hour, AtOnce: 2},
//		},
//	})
//
// The store keeps the work, with River and without: services claim from Store.Work and
// settle there. [Queue] is the hook of the store. It adds a River job to the transaction
// of a change that has work, and when the work is due, River assigns the job to one
// process, where the queue calls the service's Tick. Jobs only wake a Tick. A process
// without this package on the same database, whose services call Run or Tick themselves,
// claims the same work, so every process that serves the database does all of it.
//
// # Guarantees
//
//	job of an item             enqueued if and only if its change is stored; serves all items that are due
//	item runs                  at least once; again if its process dies, after the lease of the claim
//	item not claimed or retried,
//	or of another process      found by a round of the kind, one every Config.Every in one of the processes
//	Ticker                     one round per interval in one of the processes; never two such rounds at once
//	Ticker with Stays          rounds only in the leading process; if that dies, another process takes over
//	wake-up by an event        additional rounds, up to Ticker.AtOnce in a process
//	round fails                it is not repeated before the next interval
//	Stop                       leaves waiting jobs to other processes at once, running rounds after Config.Grace
//	kill -9 of a process       its jobs run elsewhere after 5/4 of DeadAfter and Poll: 9 to 11 s by default;
//	                           items that it had claimed wait for the end of their lease
//	kill -9 of the leader      another leads after the same time (River needs up to 21 s); the next
//	                           rounds are up to 1 s and their interval later
//	database is unreachable    everything waits; no process is considered dead because of it
//
// A process that is stopped for longer than Config.DeadAfter (SIGSTOP, a suspended
// machine) is considered dead, too, and its jobs then run twice.
//
// # Time
//
// River uses the clocks of the database and of its leader's machine to decide when a
// scheduled job is due. An item may run late by as much as the leader's clock is
// behind, and up to 5 s after its DueAt if it was saved less than 5 s before it, but not
// later than the next round of Config.Every. It never runs before its DueAt by the clock
// of the service that claims it. Rounds, wake-ups and items that are due at once are not
// delayed. The now of a Tick comes from Config.Clock.
//
// # Requirements
//
// A process uses one connection of the pool for notifications and needs at least four
// in all. pgxpool's default is four or the number of processors, whichever is more;
// set pool_max_conns. All processes that run a queue need the same Config.Kinds and
// tickers, because only River's leader inserts the jobs of intervals; Jobs.Work may
// differ. The tables are River's and queue_processes, all in the schema corridor; River's
// tools can show them. Jobs contain no payloads. Ended jobs are removed after Config.Keep.
// Buried items are in the store.
//
// A role that does not own the schema needs the rights that package postgres names,
// and USAGE on the sequences.
//
// Do not call the services' Run besides Queue.Run. Instead, pass their Tick as
// Jobs.Work, which also runs their deadlines and purges, or as a ticker, and so those of
// a relay and of a clientauth.Authenticator, which removes expired tokens. The example
// of a service has them all.
//
// # Without River
//
// The services' Run polls the store in every process. That is correct with any number
// of processes, but each of them polls at every interval. Use this package if that
// polling costs too much, or if work should begin as soon as it is saved.
package river
