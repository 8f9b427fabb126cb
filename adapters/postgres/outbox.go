package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type outbox struct{ *Store }

const (
	eventColumns = `e.id, e.kind, e.key, e.owner, e.at, e.data, e.attempt, e.claim`

	// claimEvents looks at the first new events and the first due ones. It claims
	// the first event of each key unless that is locked, and blocks the later ones,
	// so that the next claims do not look at them: in a backlog, each event is
	// blocked once.
	//
	// At READ COMMITTED the server checks each row again when it locks it. The
	// condition on changes skips rows that have changed, since the other events of
	// their keys were read before. SKIP LOCKED means that claims never wait. Blocking
	// an event also changes the earlier one of its key (away, touched): see
	// settleBegin.
	//
	// The index by key does not contain new events. If there may be more of them
	// than the window, due events after the window's last new one are left for a
	// later claim.
	claimEvents = `WITH new AS (SELECT state, seq, key, changes FROM corridor.events WHERE state = 'new' ORDER BY seq LIMIT window),
	due AS (SELECT state, seq, key, changes FROM corridor.events WHERE state = 'waiting' AND available_at <= $1
		ORDER BY available_at, seq LIMIT window),
	looked AS (SELECT c.*, least(min(c.seq) OVER (PARTITION BY c.key), (SELECT k.seq FROM corridor.events k
			WHERE k.key = c.key AND k.state IN ('waiting', 'blocked') ORDER BY k.seq LIMIT 1)) AS head
		FROM (SELECT * FROM new UNION ALL SELECT * FROM due) c
		WHERE (SELECT count(*) FROM new) < window OR c.seq <= (SELECT max(seq) FROM new)),
	heads AS (SELECT e.state, e.seq FROM looked l
		JOIN corridor.events e ON e.state = l.state AND e.seq = l.seq AND e.changes = l.changes
		WHERE l.seq = l.head ORDER BY e.seq LIMIT $3 FOR UPDATE OF e SKIP LOCKED),
	away AS (SELECT e.state, e.seq FROM (SELECT DISTINCT key, head FROM looked WHERE seq > head) l
		JOIN corridor.events e ON e.key = l.key AND e.seq = l.head AND e.state IN ('waiting', 'blocked')
		WHERE NOT EXISTS (SELECT FROM looked s WHERE s.seq = l.head) FOR UPDATE OF e SKIP LOCKED),
	later AS (SELECT e.state, e.seq FROM looked l
		JOIN corridor.events e ON e.state = l.state AND e.seq = l.seq AND e.changes = l.changes
		WHERE l.seq > l.head AND l.head IN (SELECT seq FROM heads UNION ALL SELECT seq FROM away) FOR UPDATE OF e SKIP LOCKED),
	claimed AS (UPDATE corridor.events e SET state = 'waiting', claimed = true, attempt = e.attempt + 1, claim = e.claim + 1,
			available_at = $2, changes = e.changes + 1
		FROM heads h WHERE e.state = h.state AND e.seq = h.seq RETURNING e.seq, ` + eventColumns + `),
	touched AS (UPDATE corridor.events e SET changes = e.changes + 1 FROM away a WHERE e.state = a.state AND e.seq = a.seq),
	blocked AS (UPDATE corridor.events e SET state = 'blocked', changes = e.changes + 1
		FROM later l WHERE e.state = l.state AND e.seq = l.seq RETURNING 1)
	SELECT b.n, coalesce(e.seq, 0), e.id, e.kind, e.key, e.owner, e.at, e.data, coalesce(e.attempt, 0), coalesce(e.claim, 0)
	FROM (SELECT count(*) AS n FROM blocked) b LEFT JOIN claimed e ON true ORDER BY e.seq`

	// whereClaim requires that the caller's claim is the latest. Few events of a key
	// wait, so the lookup goes by key.
	whereClaim = `e.id = $1 AND e.key = $2 AND e.claim = $3 AND e.claimed AND e.state IN ('waiting', 'blocked')`

	// settleBegin finds the event and the next blocked one of its key. Both rows may
	// change before the statement locks them. settleEnd then divides by zero, and the
	// statement runs again. So an event that a claim blocks meanwhile is never
	// overlooked.
	settleBegin = `WITH this AS (SELECT e.seq, e.changes FROM corridor.events e WHERE ` + whereClaim + `),
	next AS (SELECT e.seq, e.changes FROM corridor.events e
		WHERE e.key = $2 AND e.state IN ('waiting', 'blocked') AND e.state = 'blocked' AND e.seq <> (SELECT seq FROM this)
		ORDER BY e.seq LIMIT 1), `

	settleEnd = `, freed AS (UPDATE corridor.events e SET state = 'waiting', changes = e.changes + 1 FROM next n
		WHERE e.key = $2 AND e.seq = n.seq AND e.changes = n.changes AND e.state IN ('waiting', 'blocked') RETURNING 1)
	SELECT count(*) / (CASE WHEN count(*) = (SELECT count(*) FROM gone)
		AND (SELECT count(*) FROM next) = (SELECT count(*) FROM freed) THEN 1 ELSE 0 END) FROM this`

	ackEvent = settleBegin + `gone AS (DELETE FROM corridor.events e USING this t
		WHERE e.key = $2 AND e.seq = t.seq AND e.changes = t.changes AND e.state IN ('waiting', 'blocked') RETURNING 1)` + settleEnd

	buryEvent = settleBegin + `gone AS (UPDATE corridor.events e SET state = 'buried', claimed = false, reason = $4, changes = e.changes + 1
		FROM this t WHERE e.key = $2 AND e.seq = t.seq AND e.changes = t.changes AND e.state IN ('waiting', 'blocked') RETURNING 1)` + settleEnd

	// retryEvent leaves a blocked event blocked.
	retryEvent = `WITH gone AS (UPDATE corridor.events e SET claimed = false, available_at = $4, changes = e.changes + 1
		WHERE ` + whereClaim + ` RETURNING 1) SELECT count(*) FROM gone`
)

// claimVariant is claimEvents with one window.
type claimVariant struct {
	upTo  int // the maximum number of events that it claims
	query string
}

// claimVariants look at enough events for several concurrent claims, each of which
// skips what the others have locked. The window is part of the text, because the
// server plans for a large part of the table if it is a parameter.
var claimVariants = [...]claimVariant{newClaimVariant(10, 250), newClaimVariant(100, 1_000), newClaimVariant(ports.MaxClaim, 2_000)}

func newClaimVariant(most, window int) claimVariant {
	return claimVariant{most, strings.ReplaceAll(claimEvents, "window", strconv.Itoa(window))}
}

func claimUpTo(n int) string {
	i := 0
	for n > claimVariants[i].upTo {
		i++
	}
	return claimVariants[i].query
}

func (o outbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	claimed, again, err := o.claim(ctx, now, lease, n)
	for again && len(claimed) < n {
		var more []ports.Event
		more, again, err = o.claim(ctx, now, lease, n-len(claimed))
		claimed = append(claimed, more...)
	}
	if len(claimed) > 0 {
		return claimed, nil // the next claim returns the error if it persists
	}
	return nil, err
}

// claim claims events with one statement. again is true if the statement blocked events:
// they took up places in its window, so another claim may find more.
func (o outbox) claim(ctx context.Context, now time.Time, lease time.Duration, n int) (claimed []ports.Event, again bool, err error) {
	rows, err := claimRows(ctx, o.Store, (*claimRow).fields, claimUpTo(n), millis(now), millis(now.Add(lease)), n)
	for i := range rows {
		again = rows[i].blocked > 0
		if rows[i].seq > 0 {
			claimed = append(claimed, rows[i].event)
		}
	}
	return claimed, again, err
}

// claimRow is a row of claimEvents. If nothing was claimed, there is one row, whose seq
// is 0.
type claimRow struct {
	blocked, seq int64
	event        ports.Event
}

func (r *claimRow) fields() []any { return append([]any{&r.blocked, &r.seq}, eventFields(&r.event)...) }

// eventFields returns the destinations of eventColumns.
func eventFields(e *ports.Event) []any {
	return []any{
		byteString{&e.ID}, text{&e.Kind}, byteString{&e.Key}, byteString{&e.Owner}, lenientInstant{&e.At}, byteSlice{&e.Data}, &e.Attempt, &e.Claim,
	}
}

func (o outbox) Ack(ctx context.Context, e ports.Event) error {
	return o.settle(ctx, e, ackEvent)
}

func (o outbox) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return o.settle(ctx, e, retryEvent, millis(at))
}

func (o outbox) Bury(ctx context.Context, e ports.Event, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return o.settle(ctx, e, buryEvent, []byte(reason))
}

// settle ends a claim by query, whose first parameters are whereClaim's.
func (o outbox) settle(ctx context.Context, e ports.Event, query string, args ...any) error {
	args = append([]any{[]byte(e.ID), []byte(e.Key), e.Claim}, args...)
	return o.settleClaim(ctx, query, args)
}
