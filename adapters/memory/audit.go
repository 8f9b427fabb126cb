package memory

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

// auditBlock is how many audit rows are kept together: a trail that grows copies none.
const auditBlock = 64

// record stores the audit rows of a write.
func (s *Store) record(rows ...ports.AuditRow) {
	for _, r := range rows {
		at := s.audited % auditBlock
		if at == 0 {
			s.audit = append(s.audit, new([auditBlock]ports.AuditRow))
		}
		s.audited++
		r.Seq, r.At = s.audited, ports.Millis(r.At)
		s.audit[len(s.audit)-1][at] = r
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
	var page []ports.AuditRow
	for at := max(after, 0); at < s.audited && len(page) < limit; at++ {
		page = append(page, s.audit[at/auditBlock][at%auditBlock])
	}
	return page, nil
}
