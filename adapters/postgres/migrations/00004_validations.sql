-- +goose Up

-- sealed is the personal data, encrypted with the key key_id. A row that is not
-- pending is never updated. Infinite times are rejected, since a row that cannot be
-- read would end every listing.
CREATE TABLE corridor.validations (
    id           bytea          NOT NULL PRIMARY KEY,
    owner        bytea          NOT NULL,
    version      bigint         NOT NULL CHECK (version > 0),
    merchant_id  bytea          NOT NULL,
    country      text           NOT NULL,
    account_type text           NOT NULL,
    bank_code    text,
    status       text           NOT NULL CHECK (status IN ('pending', 'verified', 'name_mismatch', 'not_found', 'error')),
    provider     text           NOT NULL,
    type         text           CHECK (type IN ('internal_rules', 'external')),
    outcome      text,
    cached       boolean        NOT NULL,
    match_rule   text,
    match_score  integer        NOT NULL CHECK (match_score BETWEEN 0 AND 100),
    tables       text           NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    deadline     timestamptz(3) NOT NULL,
    ended_at     timestamptz(3),
    expires_at   timestamptz(3),
    purge_at     timestamptz(3) NOT NULL,
    key_id       text           NOT NULL,
    sealed       bytea          NOT NULL,
    CHECK ((ended_at IS NULL) = (status = 'pending')),
    CHECK ((type IS NULL) = (status = 'pending')),
    CHECK (outcome IS NULL OR type IS DISTINCT FROM 'internal_rules'),
    CHECK (isfinite(created_at) AND isfinite(deadline) AND isfinite(purge_at)
           AND isfinite(ended_at) AND isfinite(expires_at))
);

-- A row is in exactly one of these indexes, so that a save writes only one besides
-- the primary key.
CREATE INDEX validations_overdue ON corridor.validations (deadline, id) WHERE status = 'pending';
CREATE INDEX validations_purge ON corridor.validations (purge_at) WHERE status <> 'pending';

CREATE TABLE corridor.cached_answers (
    key        bytea          NOT NULL PRIMARY KEY CHECK (octet_length(key) = 32),
    provider   text           NOT NULL,
    at         timestamptz(3) NOT NULL CHECK (isfinite(at)),
    expires_at timestamptz(3) NOT NULL CHECK (isfinite(expires_at)),
    key_id     text           NOT NULL,
    sealed     bytea          NOT NULL
);

CREATE INDEX cached_answers_expiry ON corridor.cached_answers (expires_at);

-- The holder may ask the provider about the account of a key until the time in until.
-- A claim without end would never be purged.
CREATE TABLE corridor.answer_claims (
    key    bytea          NOT NULL PRIMARY KEY CHECK (octet_length(key) = 32),
    holder bytea          NOT NULL CHECK (octet_length(holder) BETWEEN 1 AND 64),
    until  timestamptz(3) NOT NULL CHECK (isfinite(until))
);

CREATE INDEX answer_claims_until ON corridor.answer_claims (until);

CREATE TABLE corridor.secrets (
    name   bytea NOT NULL PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 64),
    secret bytea NOT NULL CHECK (octet_length(secret) BETWEEN 16 AND 1024)
);

CREATE VIEW corridor.readable_validations AS
SELECT encode(id, 'escape') AS id, encode(owner, 'escape') AS owner, version,
       encode(merchant_id, 'escape') AS merchant_id, country, account_type, bank_code, status, provider, type, outcome,
       cached, match_rule, match_score, tables, created_at, deadline, ended_at, expires_at, purge_at, key_id,
       octet_length(sealed) AS sealed_bytes
FROM corridor.validations;

CREATE VIEW corridor.readable_cached_answers AS
SELECT encode(key, 'hex') AS key, provider, at, expires_at, key_id, octet_length(sealed) AS sealed_bytes
FROM corridor.cached_answers;

CREATE VIEW corridor.readable_answer_claims AS
SELECT encode(key, 'hex') AS key, encode(holder, 'escape') AS holder, until
FROM corridor.answer_claims;
