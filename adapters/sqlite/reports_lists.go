package sqlite

import (
	"github.com/corridor-go/corridor/adapters/sqlite/internal/jsonlist"
	"github.com/corridor-go/corridor/ports"
)

// texts scans a JSON list of texts; nil for an empty one.
type texts struct{ list *[]string }

func (t texts) Scan(value any) (err error) {
	*t.list, err = listIn(value, jsonlist.ReadTexts)
	return err
}

// filters scans a JSON list of filters; nil for an empty one.
type filters struct{ list *[]ports.Filter }

func (f filters) Scan(value any) (err error) {
	*f.list, err = listIn(value, jsonlist.ReadFilters)
	return err
}

// listIn reads a column of JSON.
func listIn[V any](value any, read func([]byte) ([]V, error)) ([]V, error) {
	var s string
	if err := (text{&s}).Scan(value); err != nil {
		return nil, err
	}
	return read([]byte(s))
}
