-- +goose Up

-- For the listing of an owner's locks.
CREATE INDEX rate_locks_owner ON rate_locks (owner, created_at, id);
