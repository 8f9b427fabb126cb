-- +goose Up

-- A token lives no longer than the secret that bought it. Of existing tokens the secret
-- is unknown, so they end.
DELETE FROM tokens;
ALTER TABLE tokens ADD COLUMN secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32);

-- For the oldest tokens of a client.
CREATE INDEX tokens_client ON tokens (client_id, issued_at, sha256);

-- Tokens issued before this time are invalid; NULL: none.
ALTER TABLE clients ADD COLUMN revoked_before INTEGER;
