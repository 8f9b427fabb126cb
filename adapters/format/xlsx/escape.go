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

// The format spells a character as _xHHHH_ in texts, and an underscore that only
// looks like the beginning of that as _x005F_. excelize 2.11.0 does so too, but
// drops texts like _xD800_ and misses the second of _x0041_x0042_. So such an
// underscore passes excelize as a mark that it does not know, which the packer
// replaces.
const (
	mark       = "\U0010FFFF"
	underscore = "_x005F_"
)

// escape marks the text's underscores and tells whether it fits a cell.
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

// packer is the zip writer that replaces the marks of sheets.
type packer struct {
	*zip.Writer
	marked bool
}

// Create begins a file of the workbook.
func (p *packer) Create(name string) (io.Writer, error) {
	w, err := p.Writer.Create(name)
	if err == nil && p.marked && strings.HasPrefix(name, "xl/worksheets/") {
		return &unmarker{out: w}, nil
	}
	return w, err
}

// unmarker replaces marks. A mark may be cut by the end of a Write; what ends a
// sheet is none.
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
