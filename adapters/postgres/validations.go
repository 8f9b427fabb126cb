package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Validations gives the store of account validations.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

type validations struct{ *Store }

const (
	validationState = `version, merchant_id, country, account_type, bank_code, status, provider, type, outcome, cached,
		match_rule, match_score, tables, created_at, deadline, ended_at, expires_at, purge_at, key_id, sealed`

	selectValidation = `SELECT id, owner, ` + validationState + ` FROM corridor.validations WHERE id = $1 AND owner = $2`

	selectOverdue = `SELECT id, owner, ` + validationState + ` FROM corridor.validations
		WHERE status = 'pending' AND deadline <= $1 AND (deadline, id) > ($2, $3)
		ORDER BY deadline, id LIMIT $4`
)

// purgeValidations leaves out what another purge has locked, and so removes rows
// of its own. An end is for good (I18): nothing else locks one.
var purgeValidations = counted(`DELETE FROM corridor.validations WHERE id = ANY (ARRAY(
	SELECT id FROM corridor.validations WHERE status <> 'pending' AND purge_at <= $1
	ORDER BY purge_at LIMIT $2 FOR UPDATE SKIP LOCKED))`)

// validationFields are the targets of id, owner and validationState.
func validationFields(r *ports.ValidationRecord) []any {
	return []any{
		raw{&r.ID}, raw{&r.Owner}, &r.Version, raw{&r.MerchantID}, &r.Market.Country, (*string)(&r.Market.Type),
		text{&r.BankCode}, validationStatus{&r.Status}, &r.Provider, text{(*string)(&r.Type)},
		text{(*string)(&r.Outcome)}, &r.Cached, text{&r.Match.Rule}, &r.Match.Score, &r.Tables, instant{&r.CreatedAt},
		instant{&r.Deadline}, instant{&r.EndedAt}, instant{&r.ExpiresAt}, instant{&r.PurgeAt}, &r.Sealed.KeyID,
		data{&r.Sealed.Data},
	}
}

// validationStatus scans a status. One that is none must not pass for an end.
type validationStatus struct{ s *ports.ValidationStatus }

// ScanText implements pgtype.TextScanner.
func (v validationStatus) ScanText(t pgtype.Text) error {
	*v.s = ports.ValidationStatus(t.String)
	switch *v.s {
	case ports.StatusPending, ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError:
		return nil
	default:
		return corrupt("a validation's status is none")
	}
}

func (v validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	var r ports.ValidationRecord
	err := v.row(ctx, selectValidation, []any{[]byte(id), []byte(owner)}, validationFields(&r)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, "No such validation")
	}
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return r, nil
}

func (v validations) Overdue(ctx context.Context, by time.Time, after ports.ValidationPos, limit int) ([]ports.ValidationRecord, error) {
	if err := inRange(limit, maxPage); err != nil {
		return nil, err
	}
	args := []any{position(by), position(after.Deadline), []byte(after.ID), limit}
	return list(ctx, v.Store, selectOverdue, args, func(rows pgx.Rows, r *ports.ValidationRecord) error {
		return rows.Scan(validationFields(r)...)
	})
}

func (v validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	return v.purge(ctx, purgeValidations, before, n)
}
