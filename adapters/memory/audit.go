package memory

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

// auditBlock is the number of audit rows per block: a growing trail copies no rows.
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

// AuditRows returns up to limit audit rows after the sequence number after, in the
// order of their writes; 0 means from the start. A limit outside 1 to [ports.MaxPage]
// is [errcodes.InvalidRequest].
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
