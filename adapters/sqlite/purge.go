package sqlite

import (
	"context"
	"time"
)

// purge removes what has passed: each query takes the instant and the most rows
// to remove. It tells how many the first removed.
func (s *Store) purge(ctx context.Context, before time.Time, n int, queries ...string) (int, error) {
	if err := inRange(n, maxPage); err != nil {
		return 0, err
	}
	purged := make([]int64, len(queries))
	err := s.update(ctx, func(ctx context.Context, s *session) (err error) {
		for i, query := range queries {
			if purged[i], err = s.exec(ctx, query, before.UnixMilli(), n); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		return 0, err
	}
	return int(purged[0]), nil
}
