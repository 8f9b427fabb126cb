-- +goose Up

-- Only a domain can check the elements of an array.
CREATE DOMAIN corridor.sha256 AS bytea CHECK (VALUE IS NOT NULL AND octet_length(VALUE) = 32);

-- A client is one row including its secrets and merchants, so that one statement
-- replaces it as a whole, also when two run concurrently. Element i of not_before and
-- not_after belongs to element i of secrets; NULL means no bound.
CREATE TABLE corridor.clients (
    id         bytea             NOT NULL PRIMARY KEY,
    disabled   boolean           NOT NULL,
    secrets    corridor.sha256[] NOT NULL,
    not_before timestamptz(3)[]  NOT NULL,
    not_after  timestamptz(3)[]  NOT NULL,
    merchants  bytea[]           NOT NULL,
    CHECK (cardinality(not_before) = cardinality(secrets) AND cardinality(not_after) = cardinality(secrets)),
    CHECK (NOT ('infinity' = ANY (not_before || not_after)) AND NOT ('-infinity' = ANY (not_before || not_after))),
    CHECK (array_position(merchants, NULL) IS NULL)
);

CREATE TABLE corridor.tokens (
    sha256     bytea          NOT NULL PRIMARY KEY CHECK (octet_length(sha256) = 32),
    client_id  bytea          NOT NULL,
    issued_at  timestamptz(3) NOT NULL CHECK (isfinite(issued_at)),
    expires_at timestamptz(3) NOT NULL CHECK (isfinite(expires_at))
);

CREATE INDEX tokens_expiry ON corridor.tokens (expires_at);

CREATE VIEW corridor.readable_clients AS
SELECT encode(id, 'escape') AS id, disabled, cardinality(secrets) AS secrets,
       ARRAY(SELECT encode(m, 'escape') FROM unnest(merchants) WITH ORDINALITY AS v (m, n) ORDER BY n) AS merchants
FROM corridor.clients;

CREATE VIEW corridor.readable_client_secrets AS
SELECT encode(c.id, 'escape') AS client_id, s.position, encode(s.sha256, 'hex') AS sha256, s.not_before, s.not_after
FROM corridor.clients c,
     unnest(c.secrets::bytea[], c.not_before, c.not_after) WITH ORDINALITY AS s (sha256, not_before, not_after, position);

CREATE VIEW corridor.readable_tokens AS
SELECT encode(client_id, 'escape') AS client_id, issued_at, expires_at
FROM corridor.tokens;
