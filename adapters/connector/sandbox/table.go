package sandbox

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// HolderName holds every account that is found.
const HolderName = "AMA SERWAA MENSAH"

// What the sandbox waits, and asks to wait.
const (
	SlowAfter     = 3 * time.Second
	TryLaterAfter = 30 * time.Second

	never time.Duration = math.MaxInt64
)

// row is what the sandbox says of accounts that end so.
type row struct {
	end    string
	wait   time.Duration
	answer ports.Answer
}

var found = ports.Answer{Kind: ports.AnswerFound, HolderName: HolderName}

// rows is the table, first match first.
var rows = []row{
	{"0000", 0, ports.Answer{Kind: ports.AnswerNotFound, Code: "account_not_found", Message: "The account does not exist"}},
	{"0001", 0, ports.Answer{Kind: ports.AnswerFailed, Code: "processing_error", Message: "The bank could not process the enquiry"}},
	{"0002", SlowAfter, found},
	{"0003", never, ports.Answer{}},
	{"0004", 0, ports.Answer{Kind: ports.AnswerTryLater, Code: "rate_limited", Message: "Too many requests", After: TryLaterAfter}},
	{"", 0, found},
}

// rowOf returns the row of an account. The standby finds what the first connector
// is too busy for.
func rowOf(identifier string, standby bool) row {
	i := slices.IndexFunc(rows, func(r row) bool {
		return strings.HasSuffix(identifier, r.end) && (!standby || r.answer.Kind != ports.AnswerTryLater)
	})
	return rows[i] // the last row matches all
}

// markets are all that SPEC 2.7 names.
var markets = []ports.Market{
	{Country: "ZAF", Type: ports.BankAccount},
	{Country: "NGA", Type: ports.BankAccount},
	{Country: "EGY", Type: ports.BankAccount},
	{Country: "GHA", Type: ports.BankAccount},
	{Country: "KEN", Type: ports.BankAccount},
	{Country: "KEN", Type: ports.MobileMoney},
	{Country: "GHA", Type: ports.MobileMoney},
	{Country: "ZWE", Type: ports.InstitutionWallet},
}
