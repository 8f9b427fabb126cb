-- +goose Up

-- Rows are only added. There is no index but the primary key and there are no checks:
-- each would cost a mint as much as an index.
CREATE TABLE corridor.audit (
    seq     bigint      NOT NULL GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    at      timestamptz NOT NULL,
    client  bytea       NOT NULL,
    address bytea       NOT NULL,
    trace   bytea       NOT NULL,
    act     bytea       NOT NULL,
    owner   bytea       NOT NULL,
    object  bytea       NOT NULL
);

CREATE VIEW corridor.readable_audit AS
SELECT seq, at, encode(client, 'escape') AS client, encode(address, 'escape') AS address, encode(trace, 'escape') AS trace,
       encode(act, 'escape') AS act, encode(owner, 'escape') AS owner, encode(object, 'escape') AS object
FROM corridor.audit;
