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

// AuditRows returns the audit rows whose Seq is above after, in the order of their
// writes, at most limit of them; an after of 0 means from the start. It returns
// [errcodes.InvalidRequest] if limit is not 1 to [ports.MaxPage].
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
