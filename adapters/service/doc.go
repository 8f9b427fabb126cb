// Package service is the whole service: the wire interface with the library behind it,
// and the background work. The command corridor serve is a command line for this package:
//
//	settings := service.Defaults()
//	settings.Sandbox = true
//	s, err := service.New(ctx, &settings, service.Shipped(), nil)
//	if err != nil {
//		return err // nothing was started
//	}
//	return s.Serve(ctx) // until ctx is done
//
// # Parts
//
// [Settings] refer to their parts by name: --store sqlite:PATH, --feed ecb:URL. [Parts]
// contains the tables of names. [Shipped] returns corridor's own parts; a program with
// other adapters appends rows:
//
//	parts := service.Shipped()
//	parts.Feeds = append(parts.Feeds, service.FeedKind{Name: "bank", Form: "bank:URL", Open: openBank})
//
// # Start
//
// [New] works in this order. An error at any step closes what the previous steps have
// opened:
//
//  1. The listener: if the address is in use, the store is not touched.
//  2. Everything that needs no store: connectors, keys, terms, feeds, clients.
//  3. The store and the services on it.
//  4. The check of the data keys: one that differs from the key that the store knows by its
//     id is rejected, before anything is sealed or opened.
//  5. The secret of the sandbox client: a start that fails must not replace a
//     secret that is in use.
//
// # Stop
//
// [Service.Serve] stops when its context is done, or when a background loop ends
// unexpectedly: a process that no longer expires locks or delivers events should be
// restarted. A stop takes at most 10 s:
//
//	listener closed ─► requests in flight ─► background ─► sink, files, store
//	                   at most 7 s           1.5 to 8.5 s  closed
//
// In detail:
//
//  1. No new connections are accepted. A client that has just connected has half
//     a second to send its request.
//  2. Requests in flight are completed. After 7 s the remaining ones are cut off,
//     and Serve returns an error.
//  3. The queue is stopped first, because its rounds get time to finish, then the
//     loops and the services. The next start resumes what they leave pending.
//     This step may use the time that requests have not used.
//  4. Everything that New has opened is closed, the last one first. Errors are
//     only logged, because all results are stored by then.
//
// # Tools
//
// Commands that work on a service's data, or without data, use single parts: [OpenStore]
// for dead letters, [OpenShared] to create or upgrade tables, [OpenAccounts] to validate
// one account and [NewReports] to make one report. [Reject] marks errors after which
// nothing was started, like those of [New].
package service
