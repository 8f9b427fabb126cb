package postgres

import "github.com/corridor-go/corridor/ports"

// QueueQueries are the statements on events and work, by what they are for.
var QueueQueries = map[string]string{
	"claim events": claimUpTo(100), "claim an event": claimUpTo(1), "ack an event": ackEvent, "retry an event": retryEvent, "bury an event": buryEvent,
	"Buried": selectBuried, "replay events": replayNamed, "replay all events": replayAll, "discard events": discardNamed,
	"claim work": claimWork, "finish work": doneWork, "retry work": retryWork, "bury work": buryWork,
}

// SaveOfEvents returns the statement of a change with n events; $1 to $6 are the first
// one's columns.
func SaveOfEvents(n int) string {
	p := queued{events: make([]ports.Event, n)}.parts()[0].part
	return partList{{"saved AS (SELECT 1)", 0}, p, {" SELECT count(*) FROM saved", 0}}.text()
}
