package folder

import (
	"crypto/rand"
	"path"
)

// A hidden name is a dot, the file's own, a tilde and chance. No good name has a
// dot in front or a tilde, so that none is another's hidden one.
func hiddenPrefix(name string) string { return "." + path.Base(name) + "~" }

func hidden(name string) string {
	return path.Join(path.Dir(name), hiddenPrefix(name)+rand.Text())
}
