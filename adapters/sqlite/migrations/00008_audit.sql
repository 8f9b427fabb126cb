-- +goose Up

-- Rows are only added. There is no index but the primary key, so that an act writes
-- only the row.
CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    client  BLOB    NOT NULL,
    address BLOB    NOT NULL,
    trace   BLOB    NOT NULL,
    act     BLOB    NOT NULL,
    owner   BLOB    NOT NULL,
    object  BLOB    NOT NULL
) STRICT;

CREATE VIEW readable_audit AS
SELECT seq, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
       CAST(client AS TEXT) AS client, CAST(address AS TEXT) AS address, CAST(trace AS TEXT) AS trace,
       CAST(act AS TEXT) AS act, CAST(owner AS TEXT) AS owner, CAST(object AS TEXT) AS object
FROM audit;
