// Package river runs background work on riverqueue/river, the job queue in
// PostgreSQL: for a service of several processes on adapters/postgres.
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
//	accounts, err := validation.New(validation.Ports{Work: queue.Work(), …}, …)
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
// A change's work becomes River jobs in the change's own transaction: [Queue] is
// the hook of the store. River gives a job to one process; there the item waits
// in [Queue.Work] for the service's own Tick, which the queue calls, and the
// job ends as the service settles the item. So the services are the same with
// River and without.
//
// # What holds
//
//	an item is enqueued                if and only if its change is stored
//	an item runs                       at least once; again when its process dies before River has stored the end
//	an item that its Tick left         comes again after 1 s, then 2 s, 4 s … 1 min, for ever
//	items with the id of a waiting one errcodes.Conflict, which undoes the change
//	a ticker ticks                     in one process an interval, however many there are; never two of its rounds at once
//	a ticker that stays                ticks in the leading process alone; when that dies, another begins
//	a wake-up ticks                    beside that, up to Ticker.AtOnce in a process
//	a round that fails                 is not repeated: the next interval is
//	Stop                               leaves waiting items to other processes at once, running rounds after Config.Grace
//	kill -9 of a process               its jobs run elsewhere after 5/4 of DeadAfter and Poll: 9 to 11 s by default
//	kill -9 of the leader              is replaced after the same time, where River takes up to 21 s; the next
//	                                   rounds are up to 1 s and their interval later
//	a database that is away            everything waits; no process is taken for dead because of it
//
// A process that was only stopped for longer than Config.DeadAfter (SIGSTOP, a
// suspended machine) is taken for dead, too, and its jobs then run twice.
//
// # Time
//
// River decides by the clocks of the database and of its leader's machine when a
// scheduled job is due: an item may be handed out late by as much as the leader's
// clock is behind, and up to 5 s after its DueAt when it was saved less than that
// before. It is never handed out before its DueAt by the caller's clock. One that its
// Tick has put off or left, and what Stop leaves to other processes, comes later by
// as much as the clock of the process that had it is ahead of the database's. Rounds,
// wake-ups and items that are due at once are not put off by that. The now of a Tick
// is Config.Clock's.
//
// # What it needs
//
// A process holds one connection of the pool for notifications; four are the
// least. Every process should be given the same kinds and tickers: River's leader
// alone inserts a ticker's jobs. The tables are River's own and
// queue_processes, all in the schema corridor; a person may look at them with
// River's tools. Item payloads are in the jobs' arguments, as bytes; ended jobs
// are removed after Config.Keep, buried ones stay, with their reason, until
// somebody removes them.
//
// A role that does not own the schema needs what package postgres says, and USAGE
// on the sequences. pgxpool gives four connections or one for each processor:
// say pool_max_conns.
//
// The services' own Run is not called beside Queue.Run, and their Tick stands
// among the tickers too, for deadlines and what is removed; so do those of a relay
// and of a clientauth.Authenticator, which removes expired tokens. The example of a
// service has them all.
//
// # Without it
//
// A store without the hook keeps work in its own table, Store.Work, and every
// process's Tick claims from there, as each service's Run calls it: correct with
// any number of processes, but each of them looks at every interval. Use this
// package when that polling costs too much, or when work should begin as soon as
// it is saved.
package river
