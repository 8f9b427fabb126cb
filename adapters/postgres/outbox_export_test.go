package postgres

// QueueQueries are the statements on events and work, by what they are for.
var QueueQueries = map[string]string{
	"claim events": claimUpTo(100), "claim an event": claimUpTo(1), "ack an event": ackEvent, "retry an event": retryEvent, "bury an event": buryEvent,
	"Buried": selectBuried, "replay events": replayNamed, "replay all events": replayAll, "discard events": discardNamed,
	"claim work": claimWork, "finish work": doneWork, "retry work": retryWork, "bury work": buryWork,
}
