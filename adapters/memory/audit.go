package memory

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

// record stores the audit rows of a write.
func (s *Store) record(rows ...ports.AuditRow) {
	for _, r := range rows {
		r.Seq, r.At = int64(len(s.audit))+1, ports.Millis(r.At)
		s.audit = append(s.audit, r)
	}
}

// AuditRows returns audit rows in the order of their writes, from the one behind
// the place after on; 0 is the start. limit is 1 to [ports.MaxPage], else it is
// [errcodes.InvalidRequest].
func (s *Store) AuditRows(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	rows := s.audit[min(max(after, 0), int64(len(s.audit))):]
	return copyList(rows[:min(limit, len(rows))]), nil
}
