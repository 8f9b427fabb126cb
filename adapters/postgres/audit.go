package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

const (
	auditColumns = `at, client, address, trace, act, owner, object`

	selectAudit = `SELECT seq, ` + auditColumns + ` FROM corridor.audit WHERE seq > $1 ORDER BY seq LIMIT $2`

	insertAudit = ` AS (INSERT INTO corridor.audit (` + auditColumns + `) SELECT `
	auditValues = `?::timestamptz, ?::bytea, ?::bytea, ?::bytea, ?::bytea, `
	auditParams = 5 // of auditValues
)

var (
	// fewAudit are the parts for one to three rows.
	fewAudit = [...]*statementPart{fewAuditPart(1), fewAuditPart(2), fewAuditPart(3)}

	manyAudit = &statementPart{`, a` + insertAudit + auditColumns + `
		FROM unnest(?::timestamptz[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[])
			WITH ORDINALITY AS v (` + auditColumns + `, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, auditParams + 2}
)

func fewAuditPart(n int) *statementPart {
	return fewRows(`, a AS (INSERT INTO corridor.audit`, auditColumns, auditValues+`?::bytea, ?::bytea`, n)
}

// auditPart returns a part that stores rows, at least one.
func auditPart(rows []ports.AuditRow) boundPart {
	if n := len(rows); n <= len(fewAudit) {
		args := make([]any, 0, n*(auditParams+2))
		for i := range rows {
			args = appendAudit(args, &rows[i])
		}
		return boundPart{fewAudit[n-1], args}
	}
	at, texts := make([]time.Time, len(rows)), [6][][]byte{}
	for i := range rows {
		at[i] = millis(rows[i].At)
		for n, text := range auditTexts(&rows[i]) {
			texts[n] = append(texts[n], []byte(text))
		}
	}
	return boundPart{manyAudit, []any{at, texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]}}
}

func auditTexts(r *ports.AuditRow) [6]string {
	return [...]string{r.Actor.Client, r.Actor.Address, r.Actor.Trace, r.Act, r.Owner, r.Object}
}

// appendAudit appends the values of auditColumns.
func appendAudit(args []any, r *ports.AuditRow) []any {
	args = append(args, millis(r.At))
	for _, text := range auditTexts(r) {
		args = append(args, []byte(text))
	}
	return args
}

// audited returns statement, which writes and has params parameters, extended to store
// an audit row for each row that it wrote and to return their number. The parameters
// of auditValues follow, then those of owner and object unless these are columns that
// statement returns.
func audited(statement string, params int, owner, object string) string {
	return `WITH changed AS (` + statement + `), audit` +
		numberParams(insertAudit+auditValues+owner+`, `+object, params) + ` FROM changed) SELECT count(*) FROM changed`
}

// AuditRows returns the audit rows whose Seq is above after, in the order of Seq, at
// most limit of them; an after of 0 means from the start. It returns
// [errcodes.InvalidRequest] if limit is not 1 to [ports.MaxPage]. Rows of concurrent
// writes may become visible in an order other than that of Seq.
func (s *Store) AuditRows(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	return list(ctx, s, auditFields, selectAudit, after, limit)
}

func auditFields(r *ports.AuditRow) []any {
	return []any{
		&r.Seq, instant{&r.At}, byteString{&r.Actor.Client}, byteString{&r.Actor.Address}, byteString{&r.Actor.Trace},
		byteString{&r.Act}, byteString{&r.Owner}, byteString{&r.Object},
	}
}
