//go:build !race

package clientauth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/adapters/clientauth"
)

func TestACachedTokenAllocatesNothing(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token, ctx := f.issue(t), t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := f.Authenticate(ctx, token); err != nil {
			t.Error(err)
		}
	}))
}
