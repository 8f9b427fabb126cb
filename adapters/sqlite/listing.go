package sqlite

import "database/sql"

// scanListed scans a row of a listing, which a damaged one must not end: a cell
// that cannot be read is given as nothing, for the caller to judge the row by.
func scanListed(rows *sql.Rows, fields ...any) error {
	if rows.Scan(fields...) == nil {
		return nil
	}
	for i := range fields {
		fields[i] = anyCell{fields[i]}
	}
	return rows.Scan(fields...)
}

// anyCell scans into field, and leaves that as it is if it cannot.
type anyCell struct{ field any }

func (a anyCell) Scan(value any) error {
	switch f := a.field.(type) {
	case sql.Scanner:
		_ = f.Scan(value)
	case *string:
		assign(f, value)
	case *[]byte:
		assign(f, value)
	case *int:
		assign(f, value)
	case *int64:
		assign(f, value)
	case *bool:
		assign(f, value)
	}
	return nil
}

func assign[V any](field *V, value any) {
	var v sql.Null[V]
	if v.Scan(value) == nil {
		*field = v.V
	}
}
