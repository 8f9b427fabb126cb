package river

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The name of a kind or ticker is part of the name of a River queue, which has at most
// 64 letters, digits and single hyphens or underscores.
const maxName = 58

var nameForm = regexp.MustCompile(`^[a-z0-9]+([._][a-z0-9]+)*$`)

func checkName(field, name string) error {
	if len(name) > maxName || !nameForm.MatchString(name) {
		return misconfigured(fmt.Sprintf("%s: name %q, want 1 to %d lower-case letters, digits and single dots or underscores between them", field, name, maxName))
	}
	return nil
}

// Each kind and each ticker has a separate queue, so that a process fetches only what
// it can run, and kinds do not wait for each other. Names do not contain hyphens, so
// different names have different queues.
func workQueue(kind string) string { return "work-" + strings.ReplaceAll(kind, ".", "-") }

func tickQueue(name string) string { return "tick-" + strings.ReplaceAll(name, ".", "-") }

// newID returns an id of this process that is unique in the database. The host name in
// it is for people.
func newID() string {
	const longest = 60
	host, _ := os.Hostname() // on an error the id is only random
	return host[:min(len(host), longest)] + "-" + rand.Text()
}
