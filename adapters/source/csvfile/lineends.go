package csvfile

import "bytes"

// otherEnds are the line ends besides LF and CRLF: those of Unicode (section 5.8), and
// the separators at which some languages split lines too.
var otherEnds = []struct{ text, name string }{
	{"\r", "CR"},
	{"\v", "VT"},
	{"\f", "FF"},
	{"\x1c", "FS"},
	{"\x1d", "GS"},
	{"\x1e", "RS"},
	{"\u0085", "NEL"},
	{"\u2028", "U+2028"},
	{"\u2029", "U+2029"},
}

const maxEnd = 3 // bytes of the longest line end

// otherEnd returns the name of a line end besides LF and CRLF in text, or "".
func otherEnd(text []byte) string {
	for _, end := range otherEnds {
		if bytes.Contains(text, []byte(end.text)) {
			return end.name
		}
	}
	return ""
}

// rowEnd returns the name of another line end that may separate rows in a text without
// quoted fields, or "". CR always may, since no unquoted field can contain it. The others
// hide nothing at the edges of the text.
func rowEnd(text []byte) string {
	if bytes.IndexByte(text, '\r') >= 0 {
		return "CR"
	}
	return otherEnd(bytes.TrimSpace(text))
}

// rowEnd returns the same for a record with the right number of fields: one row with any
// text in the columns that are not configured. Two broken rows may have as many fields,
// but then the line end between them is within a configured column.
func (r *records) rowEnd(text []byte) string {
	if bytes.IndexByte(text, '\r') >= 0 {
		return "CR"
	}
	cells := bytes.Split(text, []byte{r.delimiter})
	for _, at := range r.columns {
		if name := rowEnd(cells[at]); name != "" {
			return name
		}
	}
	return ""
}

// torn returns [errcodes.Unprocessable] if a line contains the line end with the name. A
// file with such line ends is rejected as a whole, because the line may be any number of
// rows.
func torn(number int64, name string) error {
	if name == "" {
		return nil
	}
	return unprocessable("line %d contains %s, as if the file's lines end in %s: want LF or CRLF", number, name, name)
}

// torn is for lines that are skipped or cannot be read: their quotes mean nothing.
func (l *line) torn() error {
	if l.long {
		return torn(l.number, l.rowEnd)
	}
	return torn(l.number, rowEnd(l.text))
}

// outside returns text with each quoted field as a single quote.
func outside(text []byte, delimiter byte) []byte {
	var out []byte
	for rest := text; rest != nil; {
		field, next, _ := cut(rest, delimiter)
		if bytes.HasPrefix(rest, []byte{'"'}) {
			field = `"`
		}
		out = append(append(out, field...), delimiter)
		rest = next
	}
	return bytes.TrimSuffix(out, []byte{delimiter})
}
