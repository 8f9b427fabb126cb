-- +goose Up

-- The states of an event:
--   new      no claim has looked at it yet
--   waiting  claimable from available_at on, if it is the first of its key
--   blocked  waits for an earlier event of its key; settling that one sets it to waiting
--   buried   a dead letter, with a reason
-- claimed is true while the latest claim may still settle the event. claim is the
-- number of that claim; unlike attempt, a replay does not reset it. changes counts
-- the updates of the row, so that a statement can see that a row has changed since
-- it was read.
--
-- seq must follow the order of the saves for events of one key, so the sequence must
-- not reserve numbers in advance (CACHE 1).
--
-- Every update but one of changes only moves the row from one index to another, so it
-- is not heap-only, and free room in the pages would be wasted. Rows are few and
-- short-lived, so vacuum runs after a fixed number of dead rows, not a share of the
-- table.
CREATE TABLE corridor.events (
    seq          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY (CACHE 1),
    at           timestamptz NOT NULL,
    available_at timestamptz NOT NULL DEFAULT '-infinity',
    claim        bigint      NOT NULL DEFAULT 0,
    attempt      integer     NOT NULL DEFAULT 0,
    changes      integer     NOT NULL DEFAULT 0,
    claimed      boolean     NOT NULL DEFAULT false,
    state        text        COLLATE "C" NOT NULL DEFAULT 'new',
    id           bytea       NOT NULL,
    kind         text        NOT NULL,
    key          bytea       NOT NULL,
    owner        bytea       NOT NULL,
    data         bytea       NOT NULL,
    reason       bytea,
    PRIMARY KEY (state, seq),
    CONSTRAINT events_state CHECK (CASE WHEN reason IS NULL THEN state IN ('new', 'waiting', 'blocked')
        ELSE state = 'buried' AND NOT claimed END)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

-- New events are in none of these indexes: a save writes only the primary key, at
-- the end of the new events.
CREATE INDEX events_key ON corridor.events (key, seq) WHERE state IN ('waiting', 'blocked');
CREATE INDEX events_due ON corridor.events (available_at, seq) WHERE state = 'waiting';
CREATE INDEX events_buried ON corridor.events (id) WHERE state = 'buried';

-- leased_until is set while the latest claim may still finish the item. attempt is
-- the number of that claim: nothing resets it.
--
-- No index contains leased_until or attempt, so a claim is a heap-only update. The
-- fill factor leaves half of each page for that.
CREATE TABLE corridor.work_items (
    seq          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    due_at       timestamptz NOT NULL CHECK (isfinite(due_at)),
    leased_until timestamptz CHECK (isfinite(leased_until)),
    attempt      integer     NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    id           bytea       NOT NULL PRIMARY KEY,
    kind         bytea       NOT NULL,
    payload      bytea       NOT NULL,
    reason       bytea       CHECK (octet_length(reason) <= 1024),
    CHECK (leased_until IS NULL OR (attempt > 0 AND reason IS NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

CREATE INDEX work_items_due ON corridor.work_items (kind, due_at, seq) WHERE reason IS NULL;

CREATE VIEW corridor.readable_events AS
SELECT seq, encode(id, 'escape') AS id, kind, encode(key, 'escape') AS key, encode(owner, 'escape') AS owner, at,
       encode(data, 'escape') AS data, state, available_at, attempt, claim, claimed, encode(reason, 'escape') AS reason
FROM corridor.events;

CREATE VIEW corridor.readable_work_items AS
SELECT encode(id, 'escape') AS id, encode(kind, 'escape') AS kind, due_at, octet_length(payload) AS payload_bytes, attempt, leased_until,
       encode(reason, 'escape') AS reason
FROM corridor.work_items;
