// Package sqlite stores rate locks, account validations, transactions, report
// jobs, events, background work, clients and tokens in one SQLite file. It is for
// services that run on one machine and must survive a crash, a power cut and a
// full disk.
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
// The file is in WAL mode with synchronous=FULL: when Save returns nil, the
// change is on the disk (I10). One connection writes, in immediate transactions,
// and a small pool of query-only connections reads. Several processes on one
// machine may open the same file. The file must not be on a network mount.
//
// A failed write is never repeated silently. The writing connection is closed
// and the next write opens a new one, so after a full disk has space again the
// store works without a restart. If COMMIT itself fails, the store empties the
// write-ahead log, so that nothing half-written can reappear after a crash, and
// reads back whether the change is stored. If it cannot find out, it returns
// [errcodes.OutcomeUnknown].
//
// A commit waits for the disk however little it stores, so the saves that arrive
// meanwhile are committed together in the next transaction: many callers wait
// little longer than one. Each caller still gets its own result. A conflict with
// another save of the same transaction is returned only once that save is stored,
// and if one save fails, the others run again without it.
//
// # Tables
//
// Ids, owners and keys are byte strings, stored as BLOBs; times are
// milliseconds since 1970 UTC; decimals are text; the columns and filters of a
// report are JSON. The views readable_books, readable_rate_locks,
// readable_validations, readable_transactions, readable_reports,
// readable_cached_answers, readable_answer_claims, readable_events,
// readable_work_items, readable_tokens and readable_audit show the same rows with
// text ids and RFC 3339 times. The live locks of a book are packed in its row (see
// adapters/bookcodec), so one primary-key read returns them all.
//
// Providers' raw codes and messages are stored unchanged, in BLOBs of at most
// 64 KiB; the view shows only their lengths. Personal data of validations and
// answers arrives sealed and is stored sealed. Secrets are not encrypted: if
// others can read the file or its backups, configure the keys elsewhere.
package sqlite
