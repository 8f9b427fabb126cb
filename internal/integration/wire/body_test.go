package wire_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// An incomplete request must have no effect.
func TestAnIncompleteBodyHasNoEffect(t *testing.T) {
	for _, path := range []string{"/v1/rate-locks", "/v1/rate-locks/rl_1/cancel"} {
		service := &locks{}
		h, err := httpserver.New(&auth{}, httpserver.Services{RateLocks: service}, nil)
		require.NoError(t, err)
		body := io.MultiReader(strings.NewReader(usdzar), iotest.ErrReader(errors.New("connection reset")))
		r := httptest.NewRequest(http.MethodPost, path, body)
		r.Header.Set("Authorization", "Bearer tok-acme")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, 400, w.Code)
		assert.Equal(t, `{"message":"The body could not be read","error":"Bad Request","statusCode":400}`, w.Body.String())
		assert.Empty(t, service.calls)
	}
}
