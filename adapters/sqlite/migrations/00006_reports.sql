-- +goose Up

-- columns is a JSON list of texts, filters a JSON list of objects. A text that is
-- not UTF-8 is stored as {"base64": …}. A row that is not RUNNING is never updated.
-- The table has a rowid because rows can be long.
CREATE TABLE reports (
    id           BLOB    NOT NULL PRIMARY KEY,
    owner        BLOB    NOT NULL,
    version      INTEGER NOT NULL CHECK (version > 0),
    kind         TEXT    NOT NULL CHECK (kind IN ('transactions', 'unmatched_settlements')),
    merchant_id  BLOB    NOT NULL,
    name         BLOB    NOT NULL,
    first_day    INTEGER,
    last_day     INTEGER,
    columns      TEXT    NOT NULL CHECK (json_valid(columns) AND json_type(columns) = 'array'),
    filters      TEXT    NOT NULL CHECK (json_valid(filters) AND json_type(filters) = 'array'),
    format       TEXT    NOT NULL,
    status       TEXT    NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED')),
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER,
    ended_at     INTEGER,
    attempts     INTEGER NOT NULL CHECK (attempts >= 0),
    holder       BLOB    NOT NULL,
    lease_until  INTEGER,
    started_at   INTEGER,
    rows_written INTEGER NOT NULL CHECK (rows_written >= 0),
    rows_total   INTEGER NOT NULL CHECK (rows_total >= -1),
    as_of        INTEGER,
    reason       TEXT    CHECK (reason <> ''),
    file_size    INTEGER CHECK (file_size >= 0),
    file_sha256  TEXT    CHECK (length(file_sha256) = 64 AND file_sha256 NOT GLOB '*[^0-9a-fA-F]*'),
    CHECK ((ended_at IS NULL) = (status = 'RUNNING')),
    CHECK ((reason IS NOT NULL) = (status = 'FAILED')),
    CHECK ((file_sha256 IS NOT NULL) = (status = 'COMPLETED')),
    CHECK ((file_size IS NOT NULL) = (status = 'COMPLETED')),
    CHECK (first_day <= last_day)
) STRICT;

-- A row is in exactly one of these indexes.
CREATE INDEX reports_running ON reports (created_at, id) WHERE status = 'RUNNING';
CREATE INDEX reports_ended ON reports (ended_at, id) WHERE status <> 'RUNNING';

CREATE VIEW readable_reports AS
SELECT CAST(id AS TEXT) AS id, CAST(owner AS TEXT) AS owner, version, kind, CAST(merchant_id AS TEXT) AS merchant_id,
       CAST(name AS TEXT) AS name, strftime('%Y-%m-%d', first_day / 1000.0, 'unixepoch') AS first_day,
       strftime('%Y-%m-%d', last_day / 1000.0, 'unixepoch') AS last_day, columns, filters, format, status,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
       attempts, CAST(holder AS TEXT) AS holder,
       strftime('%Y-%m-%dT%H:%M:%fZ', lease_until / 1000.0, 'unixepoch') AS lease_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
       rows_written, rows_total, strftime('%Y-%m-%dT%H:%M:%fZ', as_of / 1000.0, 'unixepoch') AS as_of,
       reason, file_size, file_sha256
FROM reports;
