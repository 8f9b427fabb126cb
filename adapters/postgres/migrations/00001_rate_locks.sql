-- +goose Up

-- live is what ports.Book.AppendSlots packs: the book's live locks.
CREATE TABLE corridor.books (
    owner      bytea       NOT NULL,
    base       text        NOT NULL,
    quote      text        NOT NULL,
    version    bigint      NOT NULL CHECK (version > 0),
    high_water timestamptz,
    live       bytea       NOT NULL,
    live_locks smallint    NOT NULL CHECK (live_locks BETWEEN 0 AND 2),
    PRIMARY KEY (owner, base, quote)
) WITH (fillfactor = 50);

CREATE TABLE corridor.rate_locks (
    id                  bytea       NOT NULL PRIMARY KEY,
    owner               bytea       NOT NULL,
    base                text        NOT NULL,
    quote               text        NOT NULL,
    mid_rate            text        NOT NULL,
    markup_bps          integer     NOT NULL CHECK (markup_bps >= 0),
    all_in_rate         text        NOT NULL,
    mid_source          text        NOT NULL,
    mid_at              timestamptz,
    tolerance_bps       integer     NOT NULL,
    created_at          timestamptz NOT NULL,
    expires_at          timestamptz NOT NULL,
    status              text        NOT NULL CHECK (status IN ('active', 'expired', 'cancelled')),
    cancellation_reason text        CHECK (cancellation_reason IN ('requested', 'market_drift')),
    ended_at            timestamptz,
    observed_mid        text,
    deviation_bps       bigint      NOT NULL,
    CHECK (expires_at > created_at),
    CHECK ((cancellation_reason IS NOT NULL) = (status = 'cancelled')),
    CHECK ((ended_at IS NOT NULL) = (status <> 'active')),
    CHECK ((observed_mid IS NOT NULL) = (cancellation_reason IS NOT DISTINCT FROM 'market_drift')),
    CHECK (deviation_bps = 0 OR observed_mid IS NOT NULL)
);

CREATE INDEX rate_locks_live ON corridor.rate_locks (base, quote, created_at, id) WHERE status = 'active';
CREATE INDEX rate_locks_due ON corridor.rate_locks (expires_at, id) WHERE status = 'active';

CREATE VIEW corridor.readable_books AS
SELECT encode(owner, 'escape') AS owner, base, quote, version, high_water, live_locks
FROM corridor.books;

CREATE VIEW corridor.readable_rate_locks AS
SELECT encode(id, 'escape') AS id, encode(owner, 'escape') AS owner, base, quote,
       mid_rate::numeric AS mid_rate, markup_bps, all_in_rate::numeric AS all_in_rate, mid_source, mid_at,
       tolerance_bps, created_at, expires_at, status, cancellation_reason, ended_at,
       observed_mid::numeric AS observed_mid, deviation_bps
FROM corridor.rate_locks;
