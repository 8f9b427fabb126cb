package validation_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// The canaries are the personal data in the requests and answers below.
const (
	canaryNumber   = "0690000032"
	canarySlow     = "1234567895"
	canarySupplied = "Zebulon Quartermain"
	canaryHolder   = "ZEBULON X QUARTERMAIN"
	canaryReason   = "account of Zachariah is dormant"
	canaryIdentity = "8001015009087"
)

var canaries = []string{canaryNumber, canarySlow, canarySupplied, "QUARTERMAIN", "Zachariah", canaryIdentity}

// The test searches every byte of the database after each kind of validation, every line
// of the log and every error.
func TestNothingPersonalIsStoredOrLogged(t *testing.T) {
	synctest.Test(t, nothingPersonalIsStoredOrLogged)
}

func nothingPersonalIsStoredOrLogged(t *testing.T) {
	path := t.TempDir() + "/canary.db"
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	b := newBench(t, store)
	var log lockedBuffer
	cfg := b.config()
	cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := validation.New(b.ports(b.first, b.second), day, cfg)
	require.NoError(t, err)
	var told []string
	say := func(v any) { told = append(told, fmt.Sprintf("%v %+v %s", v, v, v)) }

	b.first.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: canaryHolder, Message: "hello " + canaryHolder})
	req := named(canarySupplied)
	req.Identity = ports.Identity{Kind: ports.PersonalAccount, Document: ports.NationalID, Number: canaryIdentity}
	ask := func(req market.Request) ports.Validation {
		v, err := s.Validate(t.Context(), owner, req)
		require.NoError(t, err)
		say(v)
		say(v.Asked)
		say(req)
		return v
	}
	require.Equal(t, ports.StatusVerified, ask(req).Status)
	require.True(t, ask(req).Cached)
	req.AccountHolderName = "Somebody Else"
	require.Equal(t, ports.StatusNameMismatch, ask(req).Status)

	b.first.Answer(ports.Answer{Kind: ports.OutcomeUnusable, Code: "06", Message: canaryReason})
	req.AccountIdentifier = canarySlow
	require.Equal(t, ports.StatusError, ask(req).Status)
	b.first.Fail(errcodes.New(errcodes.Configuration, ""))
	b.second.Answer(ports.Answer{Kind: ports.OutcomeFailed, Code: "99", Message: canaryReason})
	require.Equal(t, canaryReason, ask(req).FailureReason)

	b.first.Answer(found)
	release := b.first.Hold()
	done := b.asking(s, req)
	b.first.WaitAsked(4)
	b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
	v := (<-done).v
	require.Equal(t, ports.StatusPending, v.Status)
	dump(t, path, "while pending")
	release()
	b.ended(v.ID, time.Second)

	for _, e := range b.events() {
		say(string(e.Data))
	}
	require.NoError(t, s.Stop(context.Background()))
	dump(t, path, "at the end")
	for _, text := range append(told, log.String()) {
		for _, c := range canaries {
			assert.NotContains(t, text, c)
		}
	}
	assert.Contains(t, log.String(), "the provider rejects its credentials", "the log was checked")
}

// dump searches the database's files and every cell of every table.
func dump(t *testing.T, path, when string) {
	t.Helper()
	var all bytes.Buffer
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		all.Write(raw)
	}
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	names, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
	require.NoError(t, err)
	var tables []string
	for names.Next() {
		var name string
		require.NoError(t, names.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, names.Err())
	rows := 0
	for _, table := range tables {
		rows += dumpTable(t, db, table, &all)
	}
	require.Greater(t, rows, 8, "the tables were read")
	text := all.String()
	require.Contains(t, text, merchant, "the dump shows what is stored")
	for _, c := range canaries {
		assert.NotContains(t, text, c, when)
		assert.NotContains(t, text, hex.EncodeToString([]byte(c)), when)
	}
}

func dumpTable(t *testing.T, db *sql.DB, table string, into *bytes.Buffer) (n int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table) //nolint:unqueryvet // every cell is needed
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(any)
	}
	for ; rows.Next(); n++ {
		require.NoError(t, rows.Scan(cells...))
		for _, c := range cells {
			v := *(c.(*any))
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			fmt.Fprintln(into, v)
		}
	}
	require.NoError(t, rows.Err())
	return n
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
