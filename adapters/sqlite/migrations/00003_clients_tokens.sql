-- +goose Up

CREATE TABLE clients (
    id       BLOB    NOT NULL PRIMARY KEY,
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE client_secrets (
    client_id  BLOB    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    sha256     BLOB    NOT NULL CHECK (length(sha256) = 32),
    not_before INTEGER,
    not_after  INTEGER,
    PRIMARY KEY (client_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE client_merchants (
    client_id BLOB    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    merchant  BLOB    NOT NULL,
    PRIMARY KEY (client_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    sha256     BLOB    NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    client_id  BLOB    NOT NULL,
    issued_at  INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_expiry ON tokens (expires_at);

CREATE VIEW readable_tokens AS
SELECT CAST(client_id AS TEXT) AS client_id,
       strftime('%Y-%m-%dT%H:%M:%fZ', issued_at / 1000.0, 'unixepoch') AS issued_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000.0, 'unixepoch') AS expires_at
FROM tokens;
