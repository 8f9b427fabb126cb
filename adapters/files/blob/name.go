package blob

import (
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// MaxName bounds a name, in bytes.
const MaxName = 200

var errName = errcodes.New(errcodes.InvalidRequest, "the name of a report file is not allowed")

// checkName holds a name against the rule of ports.ReportFiles.
func checkName(name string) error {
	if len(name) > MaxName {
		return errName
	}
	for part := range strings.SplitSeq(name, "/") {
		if !goodPart(part) {
			return errName
		}
	}
	return nil
}

func goodPart(part string) bool {
	for i := range len(part) {
		c := part[i]
		first := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !first && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return part != ""
}
