package sqlite

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

const (
	auditColumns = `at, client, address, trace, act, owner, object`

	selectAudit = `SELECT seq, ` + auditColumns + ` FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`
	insertAudit = `INSERT INTO audit (` + auditColumns + `) SELECT ?, ?, ?, ?, ?, `

	auditAct    = insertAudit + `?, ?`
	auditToken  = insertAudit + `client_id, ? FROM tokens WHERE sha256 = ?`
	auditBuried = insertAudit + `owner, id FROM events WHERE state = 'buried'`
	auditEvent  = auditBuried + ` AND id = ?`
)

// auditArgs returns the arguments of insertAudit.
func auditArgs(r *ports.AuditRow) []any {
	return append(make([]any, 0, 7), r.At.UnixMilli(), blob(r.Actor.Client), blob(r.Actor.Address), blob(r.Actor.Trace), blob(r.Act))
}

func addAudit(ctx context.Context, s *session, r *ports.AuditRow) error {
	_, err := s.exec(ctx, auditAct, append(auditArgs(r), blob(r.Owner), blob(r.Object))...)
	return err
}

// AuditRows returns the audit rows whose Seq is above after, in the order of their
// writes, at most limit of them; an after of 0 means from the start. It returns
// [errcodes.InvalidRequest] if limit is not 1 to [ports.MaxPage].
func (s *Store) AuditRows(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	return list(ctx, s, auditFields, selectAudit, after, limit)
}

func auditFields(r *ports.AuditRow) []any {
	return []any{&r.Seq, instant{&r.At}, &r.Actor.Client, &r.Actor.Address, &r.Actor.Trace, &r.Act, &r.Owner, &r.Object}
}
