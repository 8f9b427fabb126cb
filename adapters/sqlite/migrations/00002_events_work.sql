-- +goose Up

-- The states of an event:
--   new      no claim has looked at it yet; new events are the last by seq
--   ready    the first unsettled event of its key; claimable from available_at on
--   waiting  claimed or to be retried; becomes ready or blocked at available_at
--   blocked  waits for an earlier event of its key
--   buried   a dead letter, with a reason
-- claimed is 1 while the latest claim may still acknowledge the event. claim is the
-- number of that claim; unlike attempt, a replay does not reset it.
CREATE TABLE events (
    seq          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL,
    kind         TEXT    NOT NULL,
    key          BLOB    NOT NULL,
    owner        BLOB    NOT NULL,
    at           INTEGER NOT NULL,
    data         BLOB    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('new', 'ready', 'waiting', 'blocked', 'buried')),
    available_at INTEGER NOT NULL DEFAULT 0,
    attempt      INTEGER NOT NULL DEFAULT 0,
    claim        INTEGER NOT NULL DEFAULT 0,
    claimed      INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
    reason       TEXT,
    CHECK ((state = 'buried') = (reason IS NOT NULL))
) STRICT;

-- New events are in none of these indexes, so that a save writes only the table.
CREATE INDEX events_seen ON events (seq) WHERE state <> 'new';
CREATE INDEX events_key ON events (key, seq) WHERE state NOT IN ('new', 'buried');
CREATE INDEX events_ready ON events (seq) WHERE state = 'ready';
CREATE INDEX events_waiting ON events (available_at) WHERE state = 'waiting';
CREATE INDEX events_buried ON events (id) WHERE state = 'buried';

-- leased_until is set while the latest claim may still finish the item. attempt is
-- the number of that claim: nothing resets it.
CREATE TABLE work_items (
    seq          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE,
    kind         TEXT    NOT NULL,
    due_at       INTEGER NOT NULL,
    payload      BLOB    NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER,
    reason       TEXT
) STRICT;

CREATE INDEX work_items_due ON work_items (kind, due_at, seq) WHERE reason IS NULL;

CREATE VIEW readable_events AS
SELECT seq, CAST(id AS TEXT) AS id, kind, CAST(key AS TEXT) AS key, CAST(owner AS TEXT) AS owner,
       strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
       CAST(data AS TEXT) AS data, state,
       strftime('%Y-%m-%dT%H:%M:%fZ', available_at / 1000.0, 'unixepoch') AS available_at,
       attempt, claim, claimed, reason
FROM events;

CREATE VIEW readable_work_items AS
SELECT CAST(id AS TEXT) AS id, kind,
       strftime('%Y-%m-%dT%H:%M:%fZ', due_at / 1000.0, 'unixepoch') AS due_at,
       length(payload) AS payload_bytes, attempt,
       strftime('%Y-%m-%dT%H:%M:%fZ', leased_until / 1000.0, 'unixepoch') AS leased_until,
       reason
FROM work_items;
