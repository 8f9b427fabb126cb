package river

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A name of a kind or a ticker is part of the name of a River queue, which is up
// to 64 letters, digits and single hyphens or underscores.
const maxName = 58

var nameForm = regexp.MustCompile(`^[a-z0-9]+([._][a-z0-9]+)*$`)

func checkName(field, name string) error {
	if len(name) > maxName || !nameForm.MatchString(name) {
		return misconfigured(fmt.Sprintf("%s has %q, want 1 to %d lower-case letters, digits and single dots or underscores between them", field, name, maxName))
	}
	return nil
}

// Each kind and each ticker has a queue of its own, so that a process fetches
// nothing that it cannot run, and none waits behind another. Hyphens are in no
// name, so that queues differ where names do.
func workQueue(kind string) string { return "work-" + strings.ReplaceAll(kind, ".", "-") }

func tickQueue(name string) string { return "tick-" + strings.ReplaceAll(name, ".", "-") }

// newID names a process among all that share the database; its host is there
// for people.
func newID() string {
	const longest = 60
	host, _ := os.Hostname() // a process without one is named by chance alone
	return host[:min(len(host), longest)] + "-" + rand.Text()
}
