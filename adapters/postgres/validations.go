package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type validations struct{ *Store }

const (
	validationState = `version, merchant_id, country, account_type, bank_code, status, provider, type, outcome, cached,
		match_rule, match_score, tables, created_at, deadline, ended_at, expires_at, purge_at, key_id, sealed`

	selectValidation = `SELECT id, owner, ` + validationState + ` FROM corridor.validations WHERE id = $1 AND owner = $2`

	selectOverdue = `SELECT id, owner, ` + validationState + ` FROM corridor.validations
		WHERE status = 'pending' AND deadline <= $1 AND (deadline, id) > ($2, $3)
		ORDER BY deadline, id LIMIT $4`

	insertValidation = `saved AS (INSERT INTO corridor.validations (id, owner, ` + validationState + `)
		VALUES ($1, $2, $3::bigint, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint, $15, $16, $17, $18, $19, $20, $21, $22)
		ON CONFLICT (id) DO NOTHING RETURNING 1)`

	// updateValidation takes the arguments of insertValidation. Its condition on
	// status makes terminal states final for writers of all processes (I18): a
	// writer that waited for another is checked against the row as that one left it.
	updateValidation = `saved AS (UPDATE corridor.validations SET (` + validationState + `)
			= ($3::bigint, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint, $15, $16, $17, $18, $19, $20, $21, $22)
		WHERE id = $1 AND owner = $2 AND version = $3::bigint - 1 AND status = 'pending' RETURNING 1)`

	validationParams = 22
)

var (
	beginValidation  = newSaveStatement(insertValidation, validationParams)
	changeValidation = newSaveStatement(updateValidation, validationParams)
)

// purgeValidations skips what another purge has locked, so two purges remove
// different rows. Terminal states are final (I18), so nothing else locks these rows.
var purgeValidations = counted(`DELETE FROM corridor.validations WHERE id = ANY (ARRAY(
	SELECT id FROM corridor.validations WHERE status <> 'pending' AND purge_at <= $1
	ORDER BY purge_at LIMIT $2 FOR UPDATE SKIP LOCKED))`)

// validationFields returns the destinations of id, owner and validationState.
func validationFields(r *ports.ValidationRecord) []any {
	return []any{
		byteString{&r.ID}, byteString{&r.Owner}, &r.Version, byteString{&r.MerchantID}, &r.Market.Country, (*string)(&r.Market.Type),
		text{&r.BankCode}, known[ports.ValidationStatus]{&r.Status, validationStatuses}, &r.Provider, text{(*string)(&r.Type)},
		text{(*string)(&r.Outcome)}, &r.Cached, text{&r.NameRule}, &r.NameScore, &r.Tables, instant{&r.CreatedAt},
		instant{&r.Deadline}, instant{&r.EndedAt}, instant{&r.ExpiresAt}, instant{&r.PurgeAt}, &r.Sealed.KeyID,
		byteSlice{&r.Sealed.Data},
	}
}

var validationStatuses = []ports.ValidationStatus{
	ports.StatusPending, ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError,
}

func (v validations) Save(ctx context.Context, c ports.ValidationChange) error {
	return v.saveRecord(ctx, "validation", c.Record.Version, beginValidation, changeValidation, validationArgs(&c.Record), queued{c.Events, c.Work, c.Audit})
}

// validationArgs returns the values of id, owner and validationState after a save
// of r.
func validationArgs(r *ports.ValidationRecord) []any {
	return append(make([]any, 0, validationParams+eventParams+4),
		[]byte(r.ID), []byte(r.Owner), r.Version+1, []byte(r.MerchantID), r.Market.Country, string(r.Market.Type),
		optionalText(r.BankCode), string(r.Status), r.Provider, optionalText(string(r.Type)),
		optionalText(string(r.Outcome)), r.Cached, optionalText(r.NameRule), int64(r.NameScore), r.Tables,
		millis(r.CreatedAt), millis(r.Deadline), optionalMillis(r.EndedAt), optionalMillis(r.ExpiresAt),
		millis(r.PurgeAt), r.Sealed.KeyID, bytesOf(r.Sealed.Data))
}

func (v validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	return one(ctx, v.Store, "No such validation", validationFields, selectValidation, []byte(id), []byte(owner))
}

func (v validations) Overdue(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	return list(ctx, v.Store, validationFields, selectOverdue, millis(by), millis(after.At), []byte(after.ID), limit)
}

func (v validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	return v.purge(ctx, purgeValidations, before, n)
}
