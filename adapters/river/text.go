package river

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"time"

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

// atOnce dates what is to run at once by the database's clock, which says when it
// does. River dates a ticker's jobs by its leader's clock, and others by that of the
// process: one that is ahead would put them off, and with them every round.
type atOnce struct{ riverqueue.HookDefaults }

// InsertBegin implements rivertype.HookInsertBegin.
func (*atOnce) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.ScheduledAt == nil || job.Kind == (tickArgs{}).Kind() {
		job.ScheduledAt = &time.Time{} // River's driver reads none as its own clock, and zero as the database's
	}
	return nil
}
