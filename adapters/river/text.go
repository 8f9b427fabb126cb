package river

import (
	"context"
	"crypto/rand"
	"os"
	"strings"

	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// newID names a process among all that share the database; its host is there
// for people.
func newID() string {
	const longest = 60
	host, _ := os.Hostname() // a process without one is named by chance alone
	return host[:min(len(host), longest)] + "-" + rand.Text()
}

// storable is a reason without what PostgreSQL's jsonb refuses.
func storable(reason string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", ""), "\ufffd")
}

var hooks = []rivertype.Hook{&atOnce{}}

// atOnce dates a ticker's jobs by the database's clock. River dates them by its
// leader's, and a leader whose clock is ahead would put off every round.
type atOnce struct{ riverqueue.HookDefaults }

// InsertBegin implements rivertype.HookInsertBegin.
func (*atOnce) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.Kind == (tickArgs{}).Kind() {
		job.ScheduledAt = nil
	}
	return nil
}
