package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/adapters/postgres/internal/jsonlist"
	"github.com/corridor-go/corridor/ports"
)

// texts scans a JSON list of texts; nil for an empty one.
type texts struct{ list *[]string }

// ScanBytes implements pgtype.BytesScanner.
func (t texts) ScanBytes(v []byte) (err error) {
	*t.list, err = jsonlist.ReadTexts(v)
	return err
}

// filters scans a JSON list of filters; nil for an empty one.
type filters struct{ list *[]ports.Filter }

// ScanBytes implements pgtype.BytesScanner.
func (f filters) ScanBytes(v []byte) (err error) {
	*f.list, err = jsonlist.ReadFilters(v)
	return err
}

// anyList scans a list, or nothing of a damaged one.
type anyList struct{ list pgtype.BytesScanner }

// ScanBytes implements pgtype.BytesScanner.
func (a anyList) ScanBytes(v []byte) error {
	_ = a.list.ScanBytes(v) // it is empty then
	return nil
}
