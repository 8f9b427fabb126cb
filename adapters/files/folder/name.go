package folder

import (
	"crypto/rand"
	"path"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// MaxName bounds a name, in bytes. The hidden name of a file that is being
// written must fit into a directory's entry, which most file systems end at 255.
const MaxName = 200

var errName = errcodes.New(errcodes.InvalidRequest, "the name of a report file is not allowed")

// checkName holds a name against the rule of [ports.ReportFiles].
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

// A hidden name is a dot, the file's own, a tilde and chance. No good name has a
// dot in front or a tilde, so that none is another's hidden one.
func hiddenPrefix(name string) string { return "." + path.Base(name) + "~" }

func hidden(name string) string {
	return path.Join(path.Dir(name), hiddenPrefix(name)+rand.Text())
}
