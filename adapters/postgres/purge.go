package postgres

import (
	"context"
	"time"
)

// counted makes a statement that writes tell how many rows it wrote.
func counted(statement string) string {
	return "WITH changed AS (" + statement + " RETURNING 1) SELECT count(*) FROM changed"
}

// purge removes what has passed: the query takes the instant and the most rows
// to remove, and tells how many it removed.
func (s *Store) purge(ctx context.Context, query string, before time.Time, n int) (int, error) {
	if err := inRange(n, maxPage); err != nil {
		return 0, err
	}
	return s.count(ctx, query, position(before), n)
}
