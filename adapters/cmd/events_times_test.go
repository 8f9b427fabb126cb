package cmd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// JSON has no form for such a time.
func TestABuriedEventWithADamagedTimeIsListed(t *testing.T) {
	at(t, aBuriedEventWithADamagedTimeIsListed, onFile, shared)
}

func aBuriedEventWithADamagedTimeIsListed(t *testing.T, store string) {
	opened, err := service.OpenStore(t.Context(), parts(), store)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	at, times := "1790000000000", []string{"9223372036854775807", "-9223372036854775808"}
	if isPostgres(store) {
		at, times = "'2026-11-20'", []string{"'infinity'", "'-infinity'"}
	}
	for i, time := range append(times, at) {
		id := []byte{'a' + byte(i)}
		alter(t, store, `INSERT INTO events (id, kind, key, owner, at, data, state, reason, available_at)
			VALUES ($1, 'kind', $1, $1, `+time+`, $1, 'buried', '', `+at+`)`, id)
	}
	lines := buried(t, store)
	require.Len(t, lines, 3)
	require.Zero(t, lines[0].At)
	require.Zero(t, lines[1].At)
	require.Equal(t, 2026, lines[2].At.In(time.UTC).Year())
}
