// Package sqlite keeps rate locks, account validations, transactions, report
// jobs, events, background work, clients and tokens in one SQLite file: the store
// for a service that runs on one machine and must survive a crash, a power cut
// and a full disk.
//
//	store, err := sqlite.Open(ctx, "/var/lib/corridor/corridor.db", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, policy, nil)
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: what Save acknowledged is on
// the disk (I10). One connection writes, in immediate transactions; a small
// pool of query-only connections reads beside it. Several processes on one
// machine may open the same file; the file must not lie on a network mount.
//
// A failed write is never repeated silently. The writing connection is closed
// and the next write opens a new one, so a disk that was full serves again, as
// soon as it has room, without a restart. When COMMIT itself fails, the store
// empties the write-ahead log, so that nothing half-written can come back after
// a crash, and reads the truth; only where it cannot is the answer
// errcodes.OutcomeUnknown.
//
// A commit waits for the disk however little it stores, so the saves that wait
// for their turn meanwhile are made together in the next one: many callers cost
// little more waiting than one. Each still gets an answer of its own: a refusal
// because of a neighbour's change is told only when that is stored, and when one
// fails, the others are made again without it.
//
// # Tables
//
// Ids, owners and keys are BLOBs, since they are byte strings; times are
// milliseconds since 1970 UTC; decimals are text; the columns and filters of a
// report are JSON. The views readable_books, readable_rate_locks,
// readable_validations, readable_transactions, readable_reports,
// readable_cached_answers, readable_answer_claims, readable_events,
// readable_work_items, readable_tokens and readable_audit show the same rows with
// text ids and RFC 3339 times. The live locks of a book are packed in its row (see
// adapters/bookcodec), so that a full pair costs one primary-key read.
//
// What providers said of transactions is kept as it came, in BLOBs of at most
// 64 KiB; the view shows its length alone. Personal data of validations and
// answers arrives sealed, and is stored as it arrives. What Secrets keeps is as
// readable as the file: an installation whose backups others can read configures
// its keys elsewhere.
package sqlite
