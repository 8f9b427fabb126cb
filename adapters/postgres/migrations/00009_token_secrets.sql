-- +goose Up

-- A token lives no longer than the secret that bought it. Of existing tokens the secret
-- is unknown, so they end.
DELETE FROM corridor.tokens;
ALTER TABLE corridor.tokens ADD COLUMN secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32);

-- For the oldest tokens of a client.
CREATE INDEX tokens_client ON corridor.tokens (client_id, issued_at, sha256);

-- Tokens issued before this time are invalid; NULL: none.
ALTER TABLE corridor.clients ADD COLUMN revoked_before timestamptz(3) CHECK (isfinite(revoked_before));

CREATE OR REPLACE VIEW corridor.readable_clients AS
SELECT encode(id, 'escape') AS id, disabled, cardinality(secrets) AS secrets,
       ARRAY(SELECT encode(m, 'escape') FROM unnest(merchants) WITH ORDINALITY AS v (m, n) ORDER BY n) AS merchants,
       revoked_before
FROM corridor.clients;
