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

	// claimEvents looks at the first new events and the first that are due. The
	// first of each key it claims, if it is free; the later ones it blocks, out of
	// the way of the next claim, so that a backlog costs each event that once.
	//
	// At READ COMMITTED each row that it locks is judged anew as it is then, and
	// left alone if it has changed, since what else there is of its key was read
	// before; those locks pass over the ones of others, so that claims wait for
	// nobody. Who blocks an event also changes the earlier one, see ackEvent.
	//
	// Behind the last new event that is looked at there may be others, of which
	// an index by key knows nothing: what is due behind it has to wait for that.
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

	// theClaim is the condition that the caller's claim is the latest. Few events
	// of a key wait, so the key finds it.
	theClaim = `e.id = $1 AND e.key = $2 AND e.claim = $3 AND e.claimed AND e.state IN ('waiting', 'blocked')`

	// settleBegin finds the event, and the next of its key that is blocked. Whether
	// one is was decided on rows that may change before this statement has their
	// locks. It is void then, by a division by zero, and to be made again; so is
	// never the last to see an event that another blocks behind this one.
	settleBegin = `WITH this AS (SELECT e.seq, e.changes FROM corridor.events e WHERE ` + theClaim + `),
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
		WHERE ` + theClaim + ` RETURNING 1) SELECT count(*) FROM gone`
)

// claimVariant is claimEvents with one window.
type claimVariant struct {
	upTo  int // events that it claims
	query string
}

// claimVariants look at enough for several who claim at once, each of whom passes
// over what the others have locked. A window stands in the text, since a plan
// that is made for any number is one for a large part of the table.
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
		return claimed, nil // they are the caller's; an error comes again
	}
	return nil, err
}

// claim claims by one statement. It asks for another go when it put events out
// of the way that stood before others.
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

// claimRow is a row that claimEvents gives: seq is 0 in the one that stands for
// no event.
type claimRow struct {
	blocked, seq int64
	event        ports.Event
}

func (r *claimRow) fields() []any { return append([]any{&r.blocked, &r.seq}, eventFields(&r.event)...) }

// eventFields are the targets of an event's columns.
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

// settle ends a claim by query, whose first parameters are those of theClaim.
func (o outbox) settle(ctx context.Context, e ports.Event, query string, args ...any) error {
	args = append([]any{[]byte(e.ID), []byte(e.Key), e.Claim}, args...)
	return o.settleClaim(ctx, query, args)
}
