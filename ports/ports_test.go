package ports_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

func TestSetDecimalReadsWhatApdReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?`).Draw(t, "text")
		var got apd.Decimal
		require.NoError(t, ports.SetDecimal(&got, text))
		want, _, err := apd.NewFromString(text)
		require.NoError(t, err)
		require.Equal(t, want.Text('f'), got.Text('f'))
		require.Equal(t, text, got.Text('f'))
	})
}

func TestAPairSetHasEachPairOnceAndInOrder(t *testing.T) {
	zar, ngn := ports.Pair{Base: "USD", Quote: "ZAR"}, ports.Pair{Base: "USD", Quote: "NGN"}
	set := ports.NewPairSet(zar, ngn, zar)
	require.Equal(t, 2, set.Len())
	require.Equal(t, []ports.Pair{ngn, zar}, set.All())
	require.True(t, set.Has(zar))
	require.False(t, set.Has(zar.Inverse()))
	set.All()[0] = ports.Pair{}
	require.Equal(t, []ports.Pair{ngn, zar}, set.All(), "All returns a copy")
	require.False(t, ports.PairSet{}.Has(zar))
}

func TestTheSystemClockRuns(t *testing.T) {
	clock := ports.SystemClock()
	require.False(t, clock.Now().IsZero())
	<-clock.After(0)
}

func ExampleSetRate() {
	var rate apd.Decimal
	fmt.Println(ports.SetRate(&rate, "18.2500"), rate.Text('f'))
	fmt.Println(ports.SetRate(&rate, "1e3"))
	// Output:
	// <nil> 18.2500
	// invalid_request: number "1e3": must be plain decimal text
}

func ExampleAllInRate() {
	fmt.Println(ports.AllInRate("18.2500", 150))
	// Output: 18.52375 <nil>
}

func ExampleAudit() {
	ctx := ports.WithActor(context.Background(), ports.Actor{Client: "acme", Address: "192.0.2.1", Trace: "4bf92f35"})
	for _, row := range ports.Audit(ctx, []ports.Event{{Kind: "rate_lock.minted", Key: "rl_1", Owner: "acme"}}) {
		fmt.Println(row.Actor.Client, row.Actor.Address, row.Actor.Trace, row.Act, row.Object)
	}
	// Output: acme 192.0.2.1 4bf92f35 rate_lock.minted rl_1
}

func TestAnActorsTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", ports.MaxAuditText+1)
	a := ports.ActorOf(ports.WithActor(t.Context(), ports.Actor{Client: long, Address: long, Trace: long}))
	cut := long[1:]
	require.Equal(t, ports.Actor{Client: cut, Address: cut, Trace: cut}, a)
	require.Equal(t, ports.Actor{}, ports.ActorOf(t.Context()), "without an actor it is the system")
}

func ExampleNewPairSet() {
	offered := ports.NewPairSet(ports.Pair{Base: "USD", Quote: "ZAR"}, ports.Pair{Base: "EUR", Quote: "XOF"})
	fmt.Println(offered.All(), offered.Has(ports.Pair{Base: "ZAR", Quote: "USD"}))
	// Output: [EUR/XOF USD/ZAR] false
}

func ExampleSystemClock() {
	var clock ports.Clock = ports.SystemClock()
	fmt.Println(clock.Now().IsZero())
	// Output: false
}

func TestAClientMayNameItsMerchants(t *testing.T) {
	const m = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"
	anyone, limited, nobody := ports.Client{Merchants: []string{ports.AnyMerchant}}, ports.Client{Merchants: []string{"a", m}}, ports.Client{}
	for merchant, want := range map[string]bool{m: true, strings.ToUpper(m): true, "a": true, "b": false, "": false, m + " ": false} {
		if got := limited.MayName(merchant); got != want {
			t.Errorf("%q: %t", merchant, got)
		}
		if !anyone.MayName(merchant) {
			t.Errorf("%q: a client with %s may name any merchant", merchant, ports.AnyMerchant)
		}
		if nobody.MayName(merchant) {
			t.Errorf("%q: a client without merchants may name none", merchant)
		}
	}
}
