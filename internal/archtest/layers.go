package archtest

// Module is the import path of this module.
const Module = "github.com/corridor-go/corridor"

// Layer is a set of packages with one import rule. It applies to code that is linked into
// users' programs; the imports of test files are not restricted.
type Layer struct {
	// Name is the layer's name in violations.
	Name string
	// Packages are patterns relative to the module: "ports" is only that package,
	// "adapters/..." also includes all packages below. A package belongs to the first
	// layer that matches.
	Packages []string
	// Own are patterns of packages of this module that may be imported. Packages below
	// the importing one are always allowed.
	Own []string
	// Outside are the import path prefixes of other modules that may be imported; "*"
	// allows all. Prefixes in TestOnly must be listed explicitly.
	Outside []string
	// NotStd are packages of the standard library that must not be imported.
	NotStd []string
}

const (
	apd    = "github.com/cockroachdb/apd/v3"
	xsync  = "golang.org/x/sync"
	norm   = "golang.org/x/text/unicode/norm"
	trans  = "golang.org/x/text/transform" // imported by norm
	gomock = "go.uber.org/mock/gomock"

	testify = "github.com/stretchr/testify"
	rapid   = "pgregory.net/rapid"
)

var (
	domain = []string{"ratelock", "validation", "validation/market", "validation/names", "report", "report/match", "authstate", "authstate/failures"}

	// helpers are packages that several packages of the root module share.
	helpers = []string{"internal/background", "internal/binrec", "internal/ids", "internal/jsontext", "internal/states", "internal/wiring"}

	// assembled are the packages that make up the service: all except the command.
	assembled = []string{
		"ratelock/...", "validation/...", "report/...", "authstate/...",
		"adapters/clientauth", "adapters/connector/...", "adapters/feed/...", "adapters/files/...", "adapters/format/...",
		"adapters/httpserver/...", "adapters/keyring", "adapters/memory", "adapters/postgres", "adapters/relay", "adapters/river",
		"adapters/source/...", "adapters/sqlite", "adapters/webhook",
	}

	// chance are packages that are forbidden outside tools, because a program that uses
	// them cannot be run again with the same result.
	chance = []string{"math/rand", "math/rand/v2"}
	// outer are packages that the inner layers may reach only through ports. It does not
	// include database/sql/driver, which defines Valuer.
	outer = append([]string{"database/sql", "net", "net/http", "os", "os/exec", "os/signal", "syscall"}, chance...)
)

// Layers is the import table of the module. The first match applies.
var Layers = []Layer{
	{Name: "codes", Packages: []string{"errcodes"}, NotStd: chance},
	{
		Name: "store models", Packages: []string{"ports/portstest/storemodel"}, Own: []string{"errcodes", "ports", "adapters/memory"},
		Outside: []string{"testing", testify, rapid}, NotStd: outer,
	},
	{Name: "fakes of ports", Packages: []string{"ports/portstest/fake"}, Own: []string{"errcodes", "ports"}},
	{
		Name: "conformance suites", Packages: []string{"ports/portstest/..."},
		Own:     []string{"errcodes", "ports", "ports/portstest", "ports/portstest/internal/..."},
		Outside: []string{"testing", Module + "/ports/portstest"},
	},
	{
		Name: "mocks", Packages: []string{"ports/portsmock"},
		Own: []string{"errcodes", "ports"}, Outside: []string{gomock},
	},
	{
		Name: "ports", Packages: []string{"ports", "ports/banks"},
		Own: []string{"errcodes", "ports"}, Outside: []string{apd}, NotStd: outer,
	},
	{
		Name: "domain", Packages: domain,
		Own:     append([]string{"errcodes", "ports", "ports/banks"}, helpers...),
		Outside: []string{apd, xsync, norm}, NotStd: outer,
	},
	{
		Name: "client authentication", Packages: []string{"adapters/clientauth"},
		Own: append([]string{"errcodes", "ports", "internal/localfile"}, helpers...), Outside: []string{xsync},
		NotStd: append([]string{"database/sql", "net/http"}, chance...),
	},
	{
		Name:     "wire shapes",
		Packages: []string{"adapters/httpserver/wire", "adapters/httpserver/internal/jsontext"},
		Own:      []string{"errcodes", "ports", "adapters/httpserver/internal/jsontext"}, NotStd: outer,
	},
	{
		Name: "PostgreSQL for tests", Packages: []string{"adapters/postgres/pgtest"}, Own: []string{"errcodes"},
		Outside: []string{"*", "testing"},
	},
	{
		Name: "HTTP server", Packages: []string{"adapters/httpserver/..."},
		Own:     append([]string{"errcodes", "ports"}, domain...),
		Outside: []string{"*"}, NotStd: chance,
	},
	{
		Name: "service", Packages: []string{"adapters/service/..."},
		Own:     append([]string{"errcodes", "ports", "ports/banks"}, assembled...),
		Outside: []string{"*"}, NotStd: chance,
	},
	{
		Name: "command's test tools", Packages: []string{"adapters/cmd/internal/docpage"}, Outside: []string{"testing"},
	},
	{
		Name: "command", Packages: []string{"adapters/cmd/..."},
		Own: []string{"..."}, Outside: []string{"*", "github.com/benbjohnson/clock"}, NotStd: chance,
	},
	{
		Name: "provider connector", Packages: []string{"adapters/connector/..."},
		Own: append([]string{"errcodes", "ports", "ports/banks", "adapters/connector/httpcall"}, helpers...), Outside: []string{"*"}, NotStd: chance,
	},
	{
		Name: "report writer", Packages: []string{"adapters/format/..."},
		Own: append([]string{"errcodes", "ports", "adapters/format/cells"}, helpers...), Outside: []string{"*"}, NotStd: chance,
	},
	{
		Name: "store", Packages: []string{"adapters/postgres", "adapters/sqlite"},
		Own: []string{"errcodes", "ports", "adapters/bookcodec", "adapters/jsonlist"}, Outside: []string{"*"}, NotStd: chance,
	},
	{
		Name: "driven adapter", Packages: []string{"adapters/..."},
		Own: append([]string{"errcodes", "ports", "ports/banks", "adapters/connector/httpcall", "internal/localfile"}, helpers...), Outside: []string{"*"}, NotStd: chance,
	},
	{Name: "file reader", Packages: []string{"internal/localfile"}, Own: []string{"errcodes", "ports"}, NotStd: chance},
	{
		Name: "domain helpers", Packages: helpers, Own: []string{"errcodes", "ports"}, NotStd: outer,
	},
	{
		Name:     "tools",
		Packages: []string{"internal/archtest", "internal/attacks", "internal/currencygen", "internal/docpage", "internal/docs", "internal/integration/...", "internal/mutants"},
		Own:      []string{"..."}, Outside: []string{"*", "testing", rapid, Module + "/internal/archtest"},
	},
}

// TestOnly are the import path prefixes of test packages. They must not be linked into
// users' programs unless a layer's Outside lists them.
var TestOnly = []string{
	"testing",
	Module + "/internal/archtest",
	Module + "/internal/docpage",
	Module + "/adapters/cmd/internal/docpage",
	Module + "/adapters/postgres/pgtest",
	Module + "/ports/portsmock",
	Module + "/ports/portstest",
	"github.com/anishathalye/porcupine",
	"github.com/benbjohnson/clock",
	"github.com/getkin/kin-openapi",
	"github.com/rogpeppe/go-internal",
	testify,
	"go.uber.org/goleak",
	"go.uber.org/mock",
	rapid,
}

// Closure is what embedding a package may link, directly and indirectly.
type Closure struct {
	Package string
	Own     []string // patterns, in addition to the package itself
	Outside []string // import path prefixes
}

// Closures are the limits on dependencies that the README promises to embedders.
var Closures = []Closure{
	{Package: "errcodes"},
	{Package: "ports", Own: []string{"errcodes"}, Outside: []string{apd}},
	{Package: "ratelock", Own: append([]string{"errcodes", "ports"}, helpers...), Outside: []string{apd, xsync}},
	{
		Package: "validation", Own: append([]string{"errcodes", "ports", "ports/banks", "validation/market", "validation/names"}, helpers...),
		Outside: []string{apd, norm, trans},
	},
	{Package: "validation/market", Own: []string{"errcodes", "ports", "ports/banks"}, Outside: []string{apd}},
	{Package: "validation/names", Own: []string{"errcodes"}, Outside: []string{norm, trans}},
	{
		Package: "authstate", Own: append([]string{"authstate/failures", "errcodes", "ports"}, helpers...),
		Outside: []string{apd},
	},
	{Package: "authstate/failures", Own: []string{"errcodes", "ports", "internal/jsontext"}, Outside: []string{apd}},
	{Package: "report", Own: append([]string{"report/match", "errcodes", "ports"}, helpers...), Outside: []string{apd, xsync}},
	{Package: "report/match", Own: []string{"errcodes", "ports", "internal/binrec"}, Outside: []string{apd}},
}
