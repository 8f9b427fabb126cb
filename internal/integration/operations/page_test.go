package operations_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/feed/file"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// block returns the block of the page that contains the text.
func block(tb testing.TB, language, text string) string {
	tb.Helper()
	return docpage.Block(tb, "../../docs/operations.md", language, text)
}

// shell runs commands of the page in a folder and returns what they print.
func shell(tb testing.TB, folder, commands string, environment ...string) (string, error) {
	tb.Helper()
	sh := exec.CommandContext(tb.Context(), "sh", "-e", "-c", commands)
	sh.Dir, sh.Env = folder, append(os.Environ(), environment...)
	output, err := sh.CombinedOutput()
	return string(output), err
}

func written(tb testing.TB, content string) (path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "example.json")
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestTheClientsFileOfThePageIsValid(t *testing.T) {
	clients, mistakes := clientauth.CheckFile(written(t, block(t, "json", "secrets")))
	require.Empty(t, mistakes)
	require.Equal(t, 1, clients)
}

func TestTheFeedFileOfThePageHasAPriceAndAPairWithout(t *testing.T) {
	feed, err := file.New(written(t, block(t, "json", "rates")), nil)
	require.NoError(t, err)
	price, err := feed.Mid(t.Context(), ports.Pair{Base: "USD", Quote: "ZAR"})
	require.NoError(t, err)
	require.Equal(t, "18.2500", price.Mid)
	_, err = feed.Mid(t.Context(), ports.Pair{Base: "USD", Quote: "XOF"})
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	_, err = feed.Mid(t.Context(), ports.Pair{Base: "ZAR", Quote: "USD"})
	require.Equal(t, errcodes.PairNotOffered, errcodes.Of(err))
}
