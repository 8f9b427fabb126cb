-- +goose Up

-- columns is a list of texts, filters a list of objects. A text that jsonb cannot
-- store, with a NUL or invalid UTF-8, is stored as {"base64": …}. A row that is not
-- RUNNING is never updated. A RUNNING row is updated every few seconds, in no indexed
-- column: the fill factor leaves room for that.
CREATE TABLE corridor.reports (
    id           bytea       NOT NULL PRIMARY KEY,
    owner        bytea       NOT NULL,
    version      bigint      NOT NULL CHECK (version > 0),
    kind         text        NOT NULL CHECK (kind IN ('transactions', 'unmatched_settlements')),
    merchant_id  bytea       NOT NULL,
    name         bytea       NOT NULL,
    first_day    timestamptz CHECK (isfinite(first_day)),
    last_day     timestamptz CHECK (isfinite(last_day)),
    columns      jsonb       NOT NULL CHECK (jsonb_typeof(columns) = 'array'),
    filters      jsonb       NOT NULL CHECK (jsonb_typeof(filters) = 'array'),
    format       bytea       NOT NULL,
    status       text        NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED')),
    created_at   timestamptz NOT NULL CHECK (isfinite(created_at)),
    updated_at   timestamptz CHECK (isfinite(updated_at)),
    ended_at     timestamptz CHECK (isfinite(ended_at)),
    attempts     bigint      NOT NULL CHECK (attempts >= 0),
    holder       bytea       NOT NULL,
    lease_until  timestamptz CHECK (isfinite(lease_until)),
    started_at   timestamptz CHECK (isfinite(started_at)),
    rows_written bigint      NOT NULL CHECK (rows_written >= 0),
    rows_total   bigint      NOT NULL CHECK (rows_total >= -1),
    as_of        timestamptz CHECK (isfinite(as_of)),
    reason       text        CHECK (reason <> ''),
    file_size    bigint      CHECK (file_size >= 0),
    file_sha256  text        CHECK (file_sha256 ~ '^[0-9a-fA-F]{64}$'),
    CHECK ((ended_at IS NULL) = (status = 'RUNNING')),
    CHECK ((reason IS NOT NULL) = (status = 'FAILED')),
    CHECK ((file_sha256 IS NOT NULL) = (status = 'COMPLETED')),
    CHECK ((file_size IS NOT NULL) = (status = 'COMPLETED')),
    CHECK (first_day <= last_day)
) WITH (fillfactor = 50);

-- A row is in exactly one of these indexes.
CREATE INDEX reports_running ON corridor.reports (created_at, id) WHERE status = 'RUNNING';
CREATE INDEX reports_ended ON corridor.reports (ended_at, id) WHERE status <> 'RUNNING';

CREATE VIEW corridor.readable_reports AS
SELECT encode(id, 'escape') AS id, encode(owner, 'escape') AS owner, version, kind,
       encode(merchant_id, 'escape') AS merchant_id, encode(name, 'escape') AS name,
       (first_day AT TIME ZONE 'UTC')::date AS first_day, (last_day AT TIME ZONE 'UTC')::date AS last_day,
       columns, filters, encode(format, 'escape') AS format, status, created_at, updated_at, ended_at,
       attempts, encode(holder, 'escape') AS holder, lease_until, started_at, rows_written, rows_total, as_of,
       reason, file_size, file_sha256
FROM corridor.reports;
