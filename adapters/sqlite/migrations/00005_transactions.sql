-- +goose Up

-- Raw codes and messages are stored byte for byte. A row that is not PENDING is
-- updated only to add the first late payment.
CREATE TABLE transactions (
    owner        BLOB    NOT NULL,
    id           BLOB    NOT NULL,
    version      INTEGER NOT NULL CHECK (version > 0),
    direction    TEXT    NOT NULL CHECK (direction IN ('payin', 'payout')),
    status       TEXT    NOT NULL CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED', 'ERRORED')),
    code         TEXT    CHECK (code <> ''),
    raw_code     BLOB    NOT NULL CHECK (length(raw_code) <= 65536),
    raw_message  BLOB    NOT NULL CHECK (length(raw_message) <= 65536),
    scheme       TEXT    NOT NULL,
    tables       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    respond_by   INTEGER,
    ended_at     INTEGER,
    late_at      INTEGER,
    late_code    BLOB    NOT NULL CHECK (length(late_code) <= 65536),
    late_message BLOB    NOT NULL CHECK (length(late_message) <= 65536),
    PRIMARY KEY (owner, id),
    CHECK ((ended_at IS NULL) = (status = 'PENDING')),
    CHECK ((code IS NOT NULL) = (status IN ('FAILED', 'ERRORED'))),
    CHECK (status <> 'PENDING' OR length(raw_code) + length(raw_message) = 0),
    CHECK (late_at IS NULL OR status IN ('FAILED', 'ERRORED')),
    CHECK (late_at IS NOT NULL OR length(late_code) + length(late_message) = 0)
) STRICT;

-- For the listing of buried events in the order of their saves.
CREATE INDEX events_set_aside ON events (seq) WHERE state = 'buried';

CREATE VIEW readable_transactions AS
SELECT CAST(owner AS TEXT) AS owner, CAST(id AS TEXT) AS id, version, direction, status, code,
       length(raw_code) AS raw_code_bytes, length(raw_message) AS raw_message_bytes, scheme, tables,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', respond_by / 1000.0, 'unixepoch') AS respond_by,
       strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', late_at / 1000.0, 'unixepoch') AS late_at,
       length(late_code) AS late_code_bytes, length(late_message) AS late_message_bytes
FROM transactions;
