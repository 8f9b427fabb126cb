package postgres

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

const (
	insertValidation = `saved AS (INSERT INTO corridor.validations (id, owner, ` + validationState + `)
		VALUES ($1, $2, $3::bigint, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint, $15, $16, $17, $18, $19, $20, $21, $22)
		ON CONFLICT (id) DO NOTHING RETURNING 1)`

	// updateValidation takes the arguments of insertValidation. An end is for
	// good (I18): whoever writes, here or in another process, finds the status
	// in its way. Who waited for another's change is judged by what that left.
	updateValidation = `saved AS (UPDATE corridor.validations SET (` + validationState + `)
			= ($3::bigint, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint, $15, $16, $17, $18, $19, $20, $21, $22)
		WHERE id = $1 AND owner = $2 AND version = $3::bigint - 1 AND status = 'pending' RETURNING 1)`

	validationParams = 22
)

var (
	openValidation   = newSaving(insertValidation, validationParams)
	changeValidation = newSaving(updateValidation, validationParams)
)

func (v validations) Save(ctx context.Context, c ports.ValidationChange) error {
	if err := ports.CheckQueued(c.Events, c.Work); err != nil {
		return err
	}
	query, refusal := openValidation, "A validation of this id exists"
	if c.Record.Version != 0 {
		query, refusal = changeValidation, "The validation has changed since it was read, or has ended"
	}
	return v.save(ctx, query, refusal, validationArgs(&c.Record), carried{c.Events, c.Work})
}

// validationArgs are the values of id, owner and validationState after a save
// of r.
func validationArgs(r *ports.ValidationRecord) []any {
	return append(make([]any, 0, validationParams+eventParams+4),
		[]byte(r.ID), []byte(r.Owner), r.Version+1, []byte(r.MerchantID), r.Market.Country, string(r.Market.Type),
		optional(r.BankCode), string(r.Status), r.Provider, optional(string(r.Type)),
		optional(string(r.Outcome)), r.Cached, optional(r.Match.Rule), int64(r.Match.Score), r.Tables,
		position(r.CreatedAt), position(r.Deadline), millis(r.EndedAt), millis(r.ExpiresAt),
		position(r.PurgeAt), r.Sealed.KeyID, bytesOf(r.Sealed.Data))
}
