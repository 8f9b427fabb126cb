package xlsx

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// In the format, _xHHHH_ is an escaped character, and _x005F_ is an underscore that would
// otherwise start such an escape. excelize 2.11.0 escapes underscores too, but drops
// texts like _xD800_ and misses the second one in _x0041_x0042_. So excelize gets a mark
// instead of each such underscore, and the packer replaces the mark by _x005F_.
const (
	mark       = "\U0010FFFF"
	underscore = "_x005F_"
)

// escape marks underscores in text, and reports whether it fits into a cell.
func escape(text string) (escaped string, fits bool) {
	if strings.IndexByte(text, mark[0]) >= 0 {
		text = strings.ReplaceAll(text, mark, "\ufffd")
	}
	if strings.Contains(text, "_x") {
		text = markUnderscores(text)
	}
	return text, len(text) <= MaxText || units(text) <= MaxText
}

func markUnderscores(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if looksEscaped(text[i:]) {
			b.WriteString(mark)
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func looksEscaped(text string) bool {
	return len(text) >= len(underscore) && text[:2] == "_x" && text[6] == '_' && strings.Trim(text[2:6], "0123456789abcdefABCDEF") == ""
}

func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// packer is a zip writer that replaces the marks in sheets.
type packer struct {
	*zip.Writer
	marked bool
}

// Create starts a file of the workbook.
func (p *packer) Create(name string) (io.Writer, error) {
	w, err := p.Writer.Create(name)
	if err == nil && p.marked && strings.HasPrefix(name, "xl/worksheets/") {
		return &unmarker{out: w}, nil
	}
	return w, err
}

// unmarker replaces marks. A Write may end within a mark; a sheet never does.
type unmarker struct {
	out  io.Writer
	rest []byte
}

func (u *unmarker) Write(p []byte) (int, error) {
	data := slices.Concat(u.rest, p)
	cut := len(data)
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if strings.HasPrefix(mark, string(data[len(data)-n:])) {
			cut = len(data) - n
		}
	}
	_, err := u.out.Write(bytes.ReplaceAll(data[:cut], []byte(mark), []byte(underscore)))
	u.rest = data[cut:]
	return len(p), err
}
