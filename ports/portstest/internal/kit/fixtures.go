package kit

import (
	"bytes"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Epoch is the time at which the checks play. Its milliseconds tell a store
// that keeps seconds.
var Epoch = time.Date(2026, time.March, 2, 9, 30, 15, int(987*time.Millisecond), time.UTC)

// Distinct holds keys of which no two are equal, though a store that folds
// case, trims blanks, stops at a NUL or repairs text would take them so.
var Distinct = []string{
	"acme", "Acme", "ACME", "acme ", " acme", "acme\t", "acme\x00", "acme\x00a", "acme\xff", "acme\xfe",
	"acme\ufffd", "acm\u00e9", "acme\u0301", "a%me", "a_me", "",
}

// Event makes an event of the key.
func Event(id, key string) ports.Event {
	return ports.Event{ID: id, Kind: "rate_lock.minted", Key: key, Owner: "acme", At: Epoch, Data: []byte(`{"id":"` + id + `"}`)}
}

// AnyBytes are payloads that text columns and careless copies damage.
var AnyBytes = [][]byte{
	nil,
	{0},
	[]byte("a\x00b\xff\xfe\xc3("),
	[]byte(`{"name":"caf\u00e9"} `),
	bytes.Repeat([]byte("0123456789abcdef"), 4096),
}

// IsCurrency tells whether code has the form of an ISO 4217 code.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
