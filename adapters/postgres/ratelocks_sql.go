package postgres

const (
	insertBook = `saved AS (INSERT INTO corridor.books (owner, base, quote, version, high_water, live, live_locks)
		VALUES ($1, $2, $3, $4::bigint + 1, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1)`

	updateBook = `saved AS (UPDATE corridor.books SET version = version + 1, high_water = $5, live = $6, live_locks = $7
		WHERE owner = $1 AND base = $2 AND quote = $3 AND version = $4 RETURNING 1)`

	bookSaved = ` SELECT count(*) FROM saved`

	// These divide by zero when a lock was left out, since nothing but an error
	// undoes a statement.
	oneEnded   = ` SELECT count(*) / (CASE WHEN count(*) = (SELECT count(*) FROM ended) THEN 1 ELSE 0 END) FROM saved`
	twoEnded   = ` SELECT count(*) / (CASE WHEN 2 * count(*) = (SELECT count(*) FROM ended) + (SELECT count(*) FROM ended2) THEN 1 ELSE 0 END) FROM saved`
	locksSaved = ` SELECT count(*) / (CASE WHEN count(*) = 0 OR (SELECT count(*) FROM locks) = $8 THEN 1 ELSE 0 END)
		FROM saved`

	// endLock ends a lock that is active, which is what nearly every end finds. It
	// does not ask for the status: the index of a pair's active locks would then
	// look good to a planner without statistics.
	endLock = ` AS (UPDATE corridor.rate_locks
		SET status = ?::text, cancellation_reason = ?::text, ended_at = ?::timestamptz, observed_mid = ?::text, deviation_bps = ?::bigint
		WHERE id = ?::bytea AND (owner, base, quote) = ($1, $2, $3) AND ended_at IS NULL AND EXISTS (SELECT FROM saved)
		RETURNING 1)`

	lockFieldNames = `id, owner, base, quote, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at,
		expires_at, status, cancellation_reason, ended_at, observed_mid, deviation_bps`
)

var (
	insertLock = &part{`, minted AS (INSERT INTO corridor.rate_locks (` + lockFieldNames + `)
		SELECT ?::bytea, $1, $2, $3, ?::text, ?::integer, ?::text, ?::text, ?::timestamptz, ?::integer, ?::timestamptz,
			?::timestamptz, ?::text, ?::text, ?::timestamptz, ?::text, ?::bigint FROM saved)`, 14}

	// putLocks inserts what was minted and updates what ended. The end of a lock
	// is for good (I4, I8): a row that ended otherwise, or that another lock has,
	// is left as it is, and then missing in the count of locksSaved.
	putLocks = &part{`, locks AS (INSERT INTO corridor.rate_locks AS l (` + lockFieldNames + `)
		SELECT v.id, $1, $2, $3, v.mid_rate, v.markup_bps, v.all_in_rate, v.mid_source, v.mid_at, v.tolerance_bps,
			v.created_at, v.expires_at, v.status, v.cancellation_reason, v.ended_at, v.observed_mid, v.deviation_bps
		FROM unnest(?::bytea[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::timestamptz[], ?::integer[],
			?::timestamptz[], ?::timestamptz[], ?::text[], ?::text[], ?::timestamptz[], ?::text[], ?::bigint[])
			AS v (id, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at, expires_at, status,
				cancellation_reason, ended_at, observed_mid, deviation_bps)
		WHERE EXISTS (SELECT FROM saved)
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, cancellation_reason = excluded.cancellation_reason,
			ended_at = excluded.ended_at, observed_mid = excluded.observed_mid, deviation_bps = excluded.deviation_bps
		WHERE excluded.status <> 'active' AND (l.owner, l.base, l.quote) = (excluded.owner, excluded.base, excluded.quote)
			AND (l.status = 'active' OR (l.status, l.cancellation_reason, l.ended_at, l.observed_mid, l.deviation_bps)
				IS NOT DISTINCT FROM (excluded.status, excluded.cancellation_reason, excluded.ended_at, excluded.observed_mid,
					excluded.deviation_bps))
		RETURNING 1)`, 14}

	endFirst, endSecond = &part{", ended" + endLock, 6}, &part{", ended2" + endLock, 6}

	newBook, nextBook           = &part{insertBook, 7}, &part{updateBook, 7}
	newBookCounted, bookCounted = &part{insertBook, 8}, &part{updateBook, 8}
	noneEnds, oneEnds, twoEnd   = &part{bookSaved, 0}, &part{oneEnded, 0}, &part{twoEnded, 0}
	allCounted                  = &part{locksSaved, 0}
)
