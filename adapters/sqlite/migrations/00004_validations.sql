-- +goose Up

-- sealed is the personal data, encrypted with the key key_id. A row that is not
-- pending is never updated. These tables have a rowid: with rows of several hundred
-- bytes, a tree by key would be deep.
CREATE TABLE validations (
    id           BLOB    NOT NULL PRIMARY KEY,
    owner        BLOB    NOT NULL,
    version      INTEGER NOT NULL CHECK (version > 0),
    merchant_id  BLOB    NOT NULL,
    country      TEXT    NOT NULL,
    account_type TEXT    NOT NULL,
    bank_code    TEXT,
    status       TEXT    NOT NULL CHECK (status IN ('pending', 'verified', 'name_mismatch', 'not_found', 'error')),
    provider     TEXT    NOT NULL,
    type         TEXT    CHECK (type IN ('internal_rules', 'external')),
    outcome      TEXT,
    cached       INTEGER NOT NULL CHECK (cached IN (0, 1)),
    match_rule   TEXT,
    match_score  INTEGER NOT NULL CHECK (match_score BETWEEN 0 AND 100),
    tables       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    deadline     INTEGER NOT NULL,
    ended_at     INTEGER,
    expires_at   INTEGER,
    purge_at     INTEGER NOT NULL,
    key_id       TEXT    NOT NULL,
    sealed       BLOB    NOT NULL,
    CHECK ((ended_at IS NULL) = (status = 'pending')),
    CHECK ((type IS NULL) = (status = 'pending')),
    CHECK (outcome IS NULL OR type IS NOT 'internal_rules')
) STRICT;

-- A row is in exactly one of these indexes, so that a save writes only one.
CREATE INDEX validations_overdue ON validations (deadline, id) WHERE status = 'pending';
CREATE INDEX validations_purge ON validations (purge_at) WHERE status <> 'pending';

CREATE TABLE cached_answers (
    key        BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    provider   TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    key_id     TEXT    NOT NULL,
    sealed     BLOB    NOT NULL
) STRICT;

CREATE INDEX cached_answers_expiry ON cached_answers (expires_at);

-- The holder may ask the provider about the account of a key until the time in until.
CREATE TABLE answer_claims (
    key    BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    holder BLOB    NOT NULL CHECK (length(holder) BETWEEN 1 AND 64),
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_claims_until ON answer_claims (until);

CREATE TABLE secrets (
    name   BLOB NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
    secret BLOB NOT NULL CHECK (length(secret) BETWEEN 16 AND 1024)
) STRICT, WITHOUT ROWID;

CREATE VIEW readable_validations AS
SELECT CAST(id AS TEXT) AS id, CAST(owner AS TEXT) AS owner, version, CAST(merchant_id AS TEXT) AS merchant_id,
       country, account_type, bank_code, status, provider, type, outcome, cached, match_rule, match_score, tables,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', deadline / 1000.0, 'unixepoch') AS deadline,
       strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000.0, 'unixepoch') AS expires_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', purge_at / 1000.0, 'unixepoch') AS purge_at,
       key_id, length(sealed) AS sealed_bytes
FROM validations;

CREATE VIEW readable_cached_answers AS
SELECT lower(hex(key)) AS key, provider,
       strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
       strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000.0, 'unixepoch') AS expires_at,
       key_id, length(sealed) AS sealed_bytes
FROM cached_answers;

CREATE VIEW readable_answer_claims AS
SELECT lower(hex(key)) AS key, CAST(holder AS TEXT) AS holder,
       strftime('%Y-%m-%dT%H:%M:%fZ', until / 1000.0, 'unixepoch') AS until
FROM answer_claims;
