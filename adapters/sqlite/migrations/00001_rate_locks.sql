-- +goose Up

-- live contains the book's live locks as bookcodec.Append packs them.
CREATE TABLE books (
    owner      BLOB    NOT NULL,
    base       TEXT    NOT NULL,
    quote      TEXT    NOT NULL,
    version    INTEGER NOT NULL CHECK (version > 0),
    high_water INTEGER,
    live       BLOB    NOT NULL,
    PRIMARY KEY (owner, base, quote)
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_locks (
    id                  BLOB    NOT NULL PRIMARY KEY,
    owner               BLOB    NOT NULL,
    base                TEXT    NOT NULL,
    quote               TEXT    NOT NULL,
    mid_rate            TEXT    NOT NULL,
    markup_bps          INTEGER NOT NULL CHECK (markup_bps >= 0),
    all_in_rate         TEXT    NOT NULL,
    mid_source          TEXT    NOT NULL,
    mid_at              INTEGER,
    tolerance_bps       INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    expires_at          INTEGER NOT NULL,
    status              TEXT    NOT NULL CHECK (status IN ('active', 'expired', 'cancelled')),
    cancellation_reason TEXT    CHECK (cancellation_reason IN ('requested', 'market_drift')),
    ended_at            INTEGER,
    observed_mid        TEXT,
    deviation_bps       INTEGER NOT NULL,
    CHECK (expires_at > created_at),
    CHECK ((cancellation_reason IS NOT NULL) = (status = 'cancelled')),
    CHECK ((ended_at IS NOT NULL) = (status <> 'active')),
    CHECK ((observed_mid IS NOT NULL) = (cancellation_reason IS 'market_drift')),
    CHECK (deviation_bps = 0 OR observed_mid IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX rate_locks_live ON rate_locks (base, quote, created_at, id) WHERE status = 'active';
CREATE INDEX rate_locks_due ON rate_locks (expires_at, id) WHERE status = 'active';

CREATE VIEW readable_books AS
SELECT CAST(owner AS TEXT) AS owner, base, quote, version,
       strftime('%Y-%m-%dT%H:%M:%fZ', high_water / 1000.0, 'unixepoch') AS high_water
FROM books;

CREATE VIEW readable_rate_locks AS
SELECT CAST(id AS TEXT) AS id, CAST(owner AS TEXT) AS owner, base, quote,
       mid_rate, markup_bps, all_in_rate, mid_source,
       strftime('%Y-%m-%dT%H:%M:%fZ', mid_at / 1000.0, 'unixepoch') AS mid_at,
       tolerance_bps,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000.0, 'unixepoch') AS expires_at,
       status, cancellation_reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
       observed_mid, deviation_bps
FROM rate_locks;
