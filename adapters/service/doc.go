// Package service is the whole service: the library behind the wire interface,
// and the background work between requests. The command corridor serve is this
// package with a command line in front:
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
// [Settings] name their parts: --store sqlite:PATH, --feed ecb:URL. The tables
// of [Parts] hold what can be named. [Shipped] returns those of corridor, and a
// program with adapters of its own appends rows to them:
//
//	parts := service.Shipped()
//	parts.Feeds = append(parts.Feeds, service.FeedKind{Name: "bank", Form: "bank:URL", Open: openBank})
//
// # Start
//
// Nothing is touched before the settings are accepted. [New] works in this
// order, and an error at any step closes what the steps before have opened:
//
//  1. the listener: an address that is taken leaves the store as it is;
//  2. all that needs no store: connectors, keys, terms, feeds, clients;
//  3. the store, and the services on it;
//  4. the secret of the sandbox's client: a start that is refused must not
//     push out a secret in use.
//
// # Stop
//
// [Service.Serve] stops when its context is done, or when a background loop ends
// by itself: a process that no longer ends locks or delivers events is to be
// replaced by a whole one. A stop takes 10 s at most:
//
//	listener closed ─► requests in flight ─► background ─► sink, files, store
//	                   at most 7 s           1.5 to 5 s    closed
//
// In detail:
//
//  1. No new connections are accepted. A client that has connected just before
//     has half a second to send its request.
//  2. Requests in flight are answered. What is left after 7 s is cut off, which
//     is an error.
//  3. The background: the queue first, since its rounds have a grace; then the
//     loops are cut, and the services closed. The next start takes up what they
//     leave pending. Requests that took little of their time leave it to this step.
//  4. What New has opened is closed, the last first. An error is only logged,
//     since every answer has been stored by then.
//
// # Tools
//
// A command that works on the data of a service, or without one, needs single
// parts, put together as the service does: [OpenStore] for events that were set
// aside, [OpenShared] to make or upgrade tables, [OpenAccounts] to validate one
// account and [NewReports] to make one report. [Reject] marks the errors after
// which nothing was started, as those of [New] are.
package service
