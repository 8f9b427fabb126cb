package embedding_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// readmePackage is the program around the README's snippets: the embedding, a validation,
// a provider's callback, and the property test.
const readmePackage = `package embedding_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/adapters/format/jsonl"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func Embed(ctx context.Context) error {
	EMBED
	_ = due
	return err
}

func Validate(ctx context.Context, store *sqlite.Store, keys ports.Sealer, connectors []ports.AccountConnector, merchant string) error {
	VALIDATE
	_ = v
	return err
}

func Callback(mux *http.ServeMux, payments *authstate.Service, refund func(ports.Transaction)) {
	CALLBACK
}

func Reports(
	ctx context.Context, store *sqlite.Store, transactions ports.TransactionSource, settlements ports.SettlementSource,
	commas ports.ReportWriter, files ports.ReportFiles, scratch ports.Scratch, merchant string,
) error {
	REPORTS
	_ = job
	return err
}

func Scale(ctx context.Context, locks *ratelock.Service, keys ports.Sealer, connectors []ports.AccountConnector) error {
	SCALE
}

func TestProperty(t *testing.T) {
	PROPERTY
}
`

var full = flag.Bool("full", false, "also run what .ci/full runs: check the README's property")

// The README's snippets compile, and its property holds (in .ci/full).
func TestReadmeSnippetsCompile(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	marks := []string{"EMBED", "VALIDATE", "CALLBACK", "REPORTS", "PROPERTY", "SCALE"}
	require.Len(t, blocks, len(marks))
	source := []byte(readmePackage)
	for i, mark := range marks {
		source = bytes.Replace(source, []byte("\t"+mark+"\n"), blocks[i][1], 1)
	}
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "snippets_test.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(root, "internal", "integration", "embedding", "snippets_test.go"): file},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, source, 0o600))
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	// The first command compiles the tests and does not link them.
	args := []string{"list", "-export", "-test", race, "-overlay", overlay, "."}
	if *full {
		args = []string{"test", race, "-overlay", overlay, "-run", "^TestProperty$", "."}
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, string(out))
}
