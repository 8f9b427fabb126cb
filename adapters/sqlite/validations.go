package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type validations struct{ *Store }

const (
	validationState = `version, merchant_id, country, account_type, bank_code, status, provider, type, outcome, cached,
		match_rule, match_score, tables, created_at, deadline, ended_at, expires_at, purge_at, key_id, sealed`

	selectValidation = `SELECT id, owner, ` + validationState + ` FROM validations WHERE id = ? AND owner = ?`

	// Listings skip rows whose position is damaged, since no page could end there.
	selectOverdue = `SELECT id, owner, ` + validationState + ` FROM validations
		WHERE status = 'pending' AND deadline <= ? AND (deadline, id) > (?, ?)
			AND typeof(deadline) = 'integer'
		ORDER BY deadline, id LIMIT ?`

	purgeValidations = `DELETE FROM validations WHERE rowid IN (
		SELECT rowid FROM validations WHERE status <> 'pending' AND purge_at <= ? ORDER BY purge_at LIMIT ?)`

	insertValidation = `INSERT INTO validations (id, owner, ` + validationState + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`

	// updateValidation takes the arguments of insertValidation. Its condition on
	// status makes terminal states final for writers of all processes (I18).
	updateValidation = `UPDATE validations SET (` + validationState + `)
			= (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
		WHERE id = ?1 AND owner = ?2 AND version = ?3 - 1 AND status = 'pending'`
)

// validationFields returns the destinations of id, owner and validationState.
func validationFields(r *ports.ValidationRecord) []any {
	return []any{
		&r.ID, &r.Owner, &r.Version, &r.MerchantID, &r.Market.Country, (*string)(&r.Market.Type), text{&r.BankCode},
		known[ports.ValidationStatus]{&r.Status, validationStatuses}, &r.Provider, text{(*string)(&r.Type)}, text{(*string)(&r.Outcome)}, &r.Cached,
		text{&r.NameRule}, &r.NameScore, &r.Tables, instant{&r.CreatedAt}, instant{&r.Deadline}, instant{&r.EndedAt},
		instant{&r.ExpiresAt}, instant{&r.PurgeAt}, &r.Sealed.KeyID, &r.Sealed.Data,
	}
}

var validationStatuses = []ports.ValidationStatus{
	ports.StatusPending, ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError,
}

func (v validations) Save(ctx context.Context, c ports.ValidationChange) error {
	return v.saveRecord(ctx, "validation", c.Record.Version, insertValidation, updateValidation, validationArgs(&c.Record), queued{c.Events, c.Work, c.Audit},
		func(ctx context.Context, s *session) (outcome, error) { return validationOutcome(ctx, s, &c) })
}

// validationArgs returns the values of id, owner and validationState after a save
// of r.
func validationArgs(r *ports.ValidationRecord) []any {
	return []any{
		blob(r.ID), blob(r.Owner), r.Version + 1, blob(r.MerchantID), r.Market.Country, string(r.Market.Type),
		optionalText(r.BankCode), string(r.Status), r.Provider, optionalText(string(r.Type)),
		optionalText(string(r.Outcome)), r.Cached, optionalText(r.NameRule), r.NameScore, r.Tables,
		r.CreatedAt.UnixMilli(), r.Deadline.UnixMilli(), optionalMillis(r.EndedAt), optionalMillis(r.ExpiresAt),
		r.PurgeAt.UnixMilli(), r.Sealed.KeyID, bytesOf(r.Sealed.Data),
	}
}

// validationOutcome compares the record's row with the change. The version after the
// one that the caller read is this change's or another's; the sealed data shows
// which. A missing new record was not stored: it would remain until its PurgeAt,
// which is far away. Otherwise the events decide.
func validationOutcome(ctx context.Context, s *session, c *ports.ValidationChange) (outcome, error) {
	var now ports.ValidationRecord
	args := []any{blob(c.Record.ID), blob(c.Record.Owner)}
	err := s.scan(ctx, selectValidation, args, validationFields(&now)...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unknown, err
	}
	proves := len(now.Sealed.Data) > 0 || queued{c.Events, c.Work, c.Audit}.isEmpty()
	result := outcomeByVersion(now.Version, c.Record.Version, c.Record.Status.Terminal(), isSaveOfValidation(now, c.Record), proves)
	if result != unknown {
		return result, nil
	}
	return outcomeOfEvents(ctx, s, c.Events)
}

// isSaveOfValidation reports whether stored is r as a save stores it.
func isSaveOfValidation(stored, r ports.ValidationRecord) bool {
	r.Version++
	for _, t := range []*time.Time{&r.CreatedAt, &r.Deadline, &r.EndedAt, &r.ExpiresAt, &r.PurgeAt} {
		*t = ports.Millis(*t)
	}
	sameBytes := bytes.Equal(stored.Sealed.Data, r.Sealed.Data)
	stored.Sealed.Data, r.Sealed.Data = nil, nil
	return sameBytes && reflect.DeepEqual(stored, r)
}

func (v validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	return one(ctx, v.Store, "No such validation", validationFields, selectValidation, blob(id), blob(owner))
}

func (v validations) Overdue(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	return list(ctx, v.Store, validationFields, selectOverdue, by.UnixMilli(), after.At.UnixMilli(), blob(after.ID), limit)
}

func (v validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	return v.purge(ctx, before, n, purgeValidations)
}
