-- +goose Up

-- Raw codes and messages are stored byte for byte. A row that is not PENDING is
-- updated only to add the first late payment. When a transaction ends, its row grows
-- by a code and a message. The fill factor leaves room for that, so that most updates
-- do not touch the key's index; the table does not become larger in the end.
CREATE TABLE corridor.transactions (
    owner        bytea       NOT NULL,
    id           bytea       NOT NULL,
    version      bigint      NOT NULL CHECK (version > 0),
    direction    text        NOT NULL CHECK (direction IN ('payin', 'payout')),
    status       text        NOT NULL CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED', 'ERRORED')),
    code         text        CHECK (code <> ''),
    raw_code     bytea       NOT NULL CHECK (octet_length(raw_code) <= 65536),
    raw_message  bytea       NOT NULL CHECK (octet_length(raw_message) <= 65536),
    scheme       bytea       NOT NULL,
    tables       bytea       NOT NULL,
    created_at   timestamptz NOT NULL CHECK (isfinite(created_at)),
    respond_by   timestamptz CHECK (isfinite(respond_by)),
    ended_at     timestamptz CHECK (isfinite(ended_at)),
    late_at      timestamptz CHECK (isfinite(late_at)),
    late_code    bytea       NOT NULL CHECK (octet_length(late_code) <= 65536),
    late_message bytea       NOT NULL CHECK (octet_length(late_message) <= 65536),
    PRIMARY KEY (owner, id),
    CHECK ((ended_at IS NULL) = (status = 'PENDING')),
    CHECK ((code IS NOT NULL) = (status IN ('FAILED', 'ERRORED'))),
    CHECK (status <> 'PENDING' OR octet_length(raw_code) + octet_length(raw_message) = 0),
    CHECK (late_at IS NULL OR status IN ('FAILED', 'ERRORED')),
    CHECK (late_at IS NOT NULL OR octet_length(late_code) + octet_length(late_message) = 0)
) WITH (fillfactor = 70);

-- Raw codes and messages may contain personal data, so the view shows their lengths.
CREATE VIEW corridor.readable_transactions AS
SELECT encode(owner, 'escape') AS owner, encode(id, 'escape') AS id, version, direction, status, code,
       octet_length(raw_code) AS raw_code_bytes, octet_length(raw_message) AS raw_message_bytes,
       encode(scheme, 'escape') AS scheme, encode(tables, 'escape') AS tables,
       created_at, respond_by, ended_at, late_at,
       octet_length(late_code) AS late_code_bytes, octet_length(late_message) AS late_message_bytes
FROM corridor.transactions;
