package storetest_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// onValidation lets fn change what Validation returns.
func onValidation(b *bundle, fn func(v *ports.ValidationRecord)) {
	read := b.validations.read
	b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
		v, err := read(ctx, owner, id)
		if err == nil {
			fn(&v)
		}
		return v, err
	}
}

func eachValidation(fn func(v *ports.ValidationRecord)) func(b *bundle) {
	return func(b *bundle) { onValidation(b, fn) }
}

// onOverdue lets fn change what Overdue returns.
func onOverdue(b *bundle, fn func(page []ports.ValidationRecord) []ports.ValidationRecord) {
	overdue := b.validations.overdue
	b.validations.overdue = func(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
		page, err := overdue(ctx, by, after, limit)
		return fn(page), err
	}
}

func eachOverdue(fn func(v *ports.ValidationRecord)) func(b *bundle) {
	return func(b *bundle) {
		onOverdue(b, func(page []ports.ValidationRecord) []ports.ValidationRecord {
			for i := range page {
				fn(&page[i])
			}
			return page
		})
	}
}

type saveValidationFunc = func(context.Context, ports.ValidationChange) error

// savesValidations replaces Save with fn.
func savesValidations(fn func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.validations.save
		b.validations.save = func(ctx context.Context, c ports.ValidationChange) error { return fn(ctx, save, c) }
	}
}

// onSaveValidation lets fn change each change before it is saved.
func onSaveValidation(fn func(c *ports.ValidationChange)) func(b *bundle) {
	return savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		c.Events, c.Work = slices.Clone(c.Events), slices.Clone(c.Work)
		fn(&c)
		return save(ctx, c)
	})
}

// mapValidationOwners applies f to owners.
func mapValidationOwners(b *bundle, f func(string) string) {
	read := b.validations.read
	b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
		v, err := read(ctx, f(owner), id)
		v.Owner = owner
		return v, err
	}
	onSaveValidation(func(c *ports.ValidationChange) { c.Record.Owner = f(c.Record.Owner) })(b)
}

// mapValidationIDs applies f to ids.
func mapValidationIDs(b *bundle, f func(string) string) {
	read := b.validations.read
	b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
		v, err := read(ctx, owner, f(id))
		v.ID = id
		return v, err
	}
	onSaveValidation(func(c *ports.ValidationChange) { c.Record.ID = f(c.Record.ID) })(b)
}

// takesZeroFor1970 returns 1970 for the zero time, as some stores do.
func takesZeroFor1970(t *time.Time) {
	if t.IsZero() {
		*t = time.UnixMilli(0).UTC()
	}
}

const (
	unknownValidation = "an unknown validation is not found"
	pendingFields     = "every field of a pending validation is returned as saved"
	endedFields       = "every field of an ended validation is returned as saved"
	emptyFields       = "empty fields are returned empty"
	farTimes          = "distant times are returned unchanged"
	sealedBytes       = "sealed bytes of any kind are returned unchanged"
	validationAliased = "changing a validation outside the store does not change the store"
	longTexts         = "owners, ids and texts of 10,000 characters are stored whole"
)

// forgetsFields returns a flaw for each field that a store may forget.
func forgetsFields() []flawedStore {
	ended := map[string]func(v *ports.ValidationRecord){
		"the merchant":  func(v *ports.ValidationRecord) { v.MerchantID = "" },
		"the country":   func(v *ports.ValidationRecord) { v.Market.Country = "NGA" },
		"the type":      func(v *ports.ValidationRecord) { v.Market.Type = ports.BankAccount },
		"the bank":      func(v *ports.ValidationRecord) { v.BankCode = "" },
		"the status":    func(v *ports.ValidationRecord) { v.Status = ports.StatusVerified },
		"the provider":  func(v *ports.ValidationRecord) { v.Provider = "" },
		"what it rests": func(v *ports.ValidationRecord) { v.Type = "" },
		"the outcome":   func(v *ports.ValidationRecord) { v.Outcome = "" },
		"the cache":     func(v *ports.ValidationRecord) { v.Cached = false },
		"the rule":      func(v *ports.ValidationRecord) { v.NameRule = "" },
		"the score":     func(v *ports.ValidationRecord) { v.NameScore = 0 },
		"the tables":    func(v *ports.ValidationRecord) { v.Tables = "" },
		"the creation":  func(v *ports.ValidationRecord) { v.CreatedAt = v.CreatedAt.Truncate(time.Second) },
		"the deadline":  func(v *ports.ValidationRecord) { v.Deadline = time.Time{} },
		"the end":       func(v *ports.ValidationRecord) { v.EndedAt = v.EndedAt.Truncate(10 * time.Millisecond) },
		"the expiry":    func(v *ports.ValidationRecord) { v.ExpiresAt = time.Time{} },
		"the purge":     func(v *ports.ValidationRecord) { v.PurgeAt = v.EndedAt },
		"the key":       func(v *ports.ValidationRecord) { v.Sealed.KeyID = "key-1" },
	}
	var out []flawedStore
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		out = append(out, flawedStore{"forgets " + name, endedFields, eachValidation(ended[name])})
	}
	return append(out,
		flawedStore{"stores every pending validation as a bank account's", pendingFields, eachValidation(ended["the type"])},
		flawedStore{"keeps seconds of a deadline", pendingFields, eachValidation(func(v *ports.ValidationRecord) { v.Deadline = v.Deadline.Truncate(time.Second) })},
		flawedStore{"returns times in the machine's zone", pendingFields, eachValidation(func(v *ports.ValidationRecord) { v.CreatedAt = v.CreatedAt.In(time.FixedZone("", 3600)) })},
	)
}

var validationFlaws = slices.Concat(
	forgetsFields(),
	confuse("owners", "owners that look alike have different validations", looks, mapValidationOwners),
	confuse("validation ids", "validation ids that look alike are different validations", looks, mapValidationIDs),
	confuse("owners", longTexts, []string{"keeps 255 letters"}, mapValidationOwners),
	confuse("validation ids", longTexts, []string{"keeps 255 letters"}, mapValidationIDs),
	confuse("validation ids", unknownValidation, looks[:2], mapValidationIDs),
	[]flawedStore{
		{"returns an empty validation for an unknown id", unknownValidation, func(b *bundle) {
			read := b.validations.read
			b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
				v, err := read(ctx, owner, id)
				if errcodes.Of(err) == errcodes.NotFound {
					return v, nil
				}
				return v, err
			}
		}},
		{"reports not found as internal", unknownValidation, func(b *bundle) {
			read := b.validations.read
			b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
				v, err := read(ctx, owner, id)
				return v, broken.Recode(err, errcodes.NotFound, errcodes.Internal)
			}
		}},
		{"ignores the owner", "another owner's validation is not found", func(b *bundle) {
			owners := map[string]string{}
			onSaveValidation(func(c *ports.ValidationChange) { owners[c.Record.ID] = c.Record.Owner })(b)
			read := b.validations.read
			b.validations.read = func(ctx context.Context, _, id string) (ports.ValidationRecord, error) {
				return read(ctx, owners[id], id)
			}
		}},
		{"reads the zero end as 1970", emptyFields, eachValidation(func(v *ports.ValidationRecord) { takesZeroFor1970(&v.EndedAt) })},
		{"reads the zero expiry as 1970", emptyFields, eachValidation(func(v *ports.ValidationRecord) { takesZeroFor1970(&v.ExpiresAt) })},
		{"reads the zero deadline as 1970", emptyFields, eachValidation(func(v *ports.ValidationRecord) { takesZeroFor1970(&v.Deadline) })},
		{"keeps nanoseconds in 64 bits", farTimes, eachValidation(func(v *ports.ValidationRecord) { v.PurgeAt = time.Unix(0, v.PurgeAt.UnixNano()).UTC() })},
		{"keeps no time before 1970", farTimes, eachValidation(func(v *ports.ValidationRecord) {
			if v.CreatedAt.Before(time.UnixMilli(0)) {
				v.CreatedAt = time.UnixMilli(0).UTC()
			}
		})},
		{"keeps sealed bytes as text", sealedBytes, eachValidation(func(v *ports.ValidationRecord) { v.Sealed.Data = bytes.ToValidUTF8(v.Sealed.Data, []byte("?")) })},
		{"keeps 9,999 sealed bytes", sealedBytes, eachValidation(func(v *ports.ValidationRecord) { v.Sealed.Data = v.Sealed.Data[:min(len(v.Sealed.Data), 9999)] })},
		{"lists no sealed bytes", sealedBytes, eachOverdue(func(v *ports.ValidationRecord) { v.Sealed.Data = nil })},
		{"keeps the bytes passed in", validationAliased, func(b *bundle) {
			kept := map[string][]byte{}
			onSaveValidation(func(c *ports.ValidationChange) { kept[c.Record.ID] = c.Record.Sealed.Data })(b)
			onValidation(b, func(v *ports.ValidationRecord) { v.Sealed.Data = kept[v.ID] })
		}},
		{"returns its stored bytes", validationAliased, func(b *bundle) {
			kept := map[string][]byte{}
			onValidation(b, func(v *ports.ValidationRecord) {
				if kept[v.ID] == nil {
					kept[v.ID] = v.Sealed.Data
				}
				v.Sealed.Data = kept[v.ID]
			})
		}},
		{"lists its stored bytes", validationAliased, func(b *bundle) {
			kept := map[string][]byte{}
			eachOverdue(func(v *ports.ValidationRecord) {
				if kept[v.ID] == nil {
					kept[v.ID] = v.Sealed.Data
				}
				v.Sealed.Data = kept[v.ID]
			})(b)
		}},
	},
)
