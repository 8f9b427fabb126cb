package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type validations struct{ *Store }

const (
	validationState = `version, merchant_id, country, account_type, bank_code, status, provider, type, outcome, cached,
		match_rule, match_score, tables, created_at, deadline, ended_at, expires_at, purge_at, key_id, sealed`

	selectValidation = `SELECT id, owner, ` + validationState + ` FROM validations WHERE id = ? AND owner = ?`

	// A listing leaves out what is damaged in its place, where no page could end.
	selectOverdue = `SELECT id, owner, ` + validationState + ` FROM validations
		WHERE status = 'pending' AND deadline <= ? AND (deadline, id) > (?, ?)
			AND typeof(deadline) = 'integer'
		ORDER BY deadline, id LIMIT ?`

	purgeValidations = `DELETE FROM validations WHERE rowid IN (
		SELECT rowid FROM validations WHERE status <> 'pending' AND purge_at <= ? ORDER BY purge_at LIMIT ?)`
)

// validationFields are the targets of id, owner and validationState.
func validationFields(r *ports.ValidationRecord) []any {
	return []any{
		&r.ID, &r.Owner, &r.Version, &r.MerchantID, &r.Market.Country, (*string)(&r.Market.Type), text{&r.BankCode},
		validationStatus{&r.Status}, &r.Provider, text{(*string)(&r.Type)}, text{(*string)(&r.Outcome)}, &r.Cached,
		text{&r.Match.Rule}, &r.Match.Score, &r.Tables, instant{&r.CreatedAt}, instant{&r.Deadline}, instant{&r.EndedAt},
		instant{&r.ExpiresAt}, instant{&r.PurgeAt}, &r.Sealed.KeyID, &r.Sealed.Data,
	}
}

// validationStatus scans a status. One that is none must not pass for an end.
type validationStatus struct{ s *ports.ValidationStatus }

func (v validationStatus) Scan(value any) error {
	var s string
	if err := (text{&s}).Scan(value); err != nil {
		return err
	}
	*v.s = ports.ValidationStatus(s)
	switch *v.s {
	case ports.StatusPending, ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError:
		return nil
	default:
		return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("the status %q is none", s))
	}
}

func (v validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	var r ports.ValidationRecord
	err := v.scan(ctx, selectValidation, []any{blob(id), blob(owner)}, validationFields(&r)...)
	if errors.Is(err, sql.ErrNoRows) {
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
	var overdue []ports.ValidationRecord
	args := []any{by.UnixMilli(), after.Deadline.UnixMilli(), blob(after.ID), limit}
	err := v.each(ctx, selectOverdue, args, func(rows *sql.Rows) error {
		var r ports.ValidationRecord
		err := scanListed(rows, validationFields(&r)...)
		overdue = append(overdue, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return overdue, nil
}

func (v validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	return v.purge(ctx, before, n, purgeValidations)
}
