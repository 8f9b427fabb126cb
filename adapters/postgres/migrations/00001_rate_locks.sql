-- +goose Up

-- Text that is compared has the collation C: it compares bytes, which is quick and
-- the same on every machine. Tables that a mint writes have few constraints: each
-- costs as much as an index, and the store checks everything that it reads.

-- live contains the book's live locks as bookcodec.Append packs them. Each mint
-- updates the book; the fill factor leaves room for that on the same page.
CREATE TABLE corridor.books (
    owner      bytea       NOT NULL,
    base       text        COLLATE "C" NOT NULL,
    quote      text        COLLATE "C" NOT NULL,
    version    bigint      NOT NULL,
    high_water timestamptz,
    live       bytea       NOT NULL,
    live_locks smallint    NOT NULL,
    PRIMARY KEY (owner, base, quote),
    CONSTRAINT books_cap CHECK (live_locks BETWEEN 0 AND 2)
) WITH (fillfactor = 50);

CREATE TABLE corridor.rate_locks (
    id                  bytea       NOT NULL PRIMARY KEY,
    owner               bytea       NOT NULL,
    base                text        COLLATE "C" NOT NULL,
    quote               text        COLLATE "C" NOT NULL,
    mid_rate            text        NOT NULL,
    markup_bps          integer     NOT NULL,
    all_in_rate         text        NOT NULL,
    mid_source          text        NOT NULL,
    mid_at              timestamptz,
    tolerance_bps       integer     NOT NULL,
    created_at          timestamptz NOT NULL,
    expires_at          timestamptz NOT NULL,
    status              text        COLLATE "C" NOT NULL,
    cancellation_reason text        COLLATE "C",
    ended_at            timestamptz,
    observed_mid        text,
    deviation_bps       bigint      NOT NULL,
    CONSTRAINT rate_locks_reason CHECK ((cancellation_reason IS NOT NULL) = (status = 'cancelled')),
    CONSTRAINT rate_locks_end CHECK ((ended_at IS NULL) = (status = 'active'))
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
