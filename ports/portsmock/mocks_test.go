package portsmock_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portsmock"
)

var (
	_ ports.Clock            = (*portsmock.MockClock)(nil)
	_ ports.PriceFeed        = (*portsmock.MockPriceFeed)(nil)
	_ ports.RateLockStore    = (*portsmock.MockRateLockStore)(nil)
	_ ports.ClientStore      = (*portsmock.MockClientStore)(nil)
	_ ports.TokenStore       = (*portsmock.MockTokenStore)(nil)
	_ ports.Work             = (*portsmock.MockWork)(nil)
	_ ports.Outbox           = (*portsmock.MockOutbox)(nil)
	_ ports.EventSink        = (*portsmock.MockEventSink)(nil)
	_ ports.DeadLetters      = (*portsmock.MockDeadLetters)(nil)
	_ ports.TransactionStore = (*portsmock.MockTransactionStore)(nil)
)

// The generator's list in doc.go must name every interface of package ports.
func TestEveryPortHasAMock(t *testing.T) {
	mocks, err := os.ReadFile("mocks.go")
	require.NoError(t, err)
	files, err := filepath.Glob("../*.go")
	require.NoError(t, err)
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if _, isPort := spec.Type.(*ast.InterfaceType); isPort && spec.Name.IsExported() {
				found++
				require.True(t, bytes.Contains(mocks, []byte("type Mock"+spec.Name.Name+" struct")),
					"%s has no mock: name it in doc.go and run go generate", spec.Name.Name)
			}
			return false
		})
	}
	require.NotZero(t, found)
}

// reporter is a gomock.TestReporter for an example.
type reporter struct{}

func (reporter) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (reporter) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func Example() {
	ctrl := gomock.NewController(reporter{})
	feed := portsmock.NewMockPriceFeed(ctrl)
	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
	gomock.InOrder(
		feed.EXPECT().Mid(gomock.Any(), pair).Return(ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")).Call,
		feed.EXPECT().Mid(gomock.Any(), pair).Return(ports.Price{Pair: pair, Mid: "18.50"}, nil).Call,
	)
	for range 2 {
		price, err := feed.Mid(context.Background(), pair)
		fmt.Printf("%q %q\n", price.Mid, errcodes.Of(err))
	}
	ctrl.Finish()
	// Output:
	// "" "price_unavailable"
	// "18.50" ""
}
