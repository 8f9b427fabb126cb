package fake_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

func TestScriptedConnectorFollowsTheScript(t *testing.T) {
	market := ports.Market{Country: "NGA", Type: ports.BankAccount}
	c := fake.NewConnector("first", []ports.Capability{{Market: market}})
	if _, served := ports.CapabilityIn(c.Capabilities(), market); c.Name() != "first" || !served {
		t.Error("Name or Capabilities differ from the arguments of NewConnector")
	}
	one := ports.AccountLookup{Account: ports.Account{Market: market, Identifier: "1"}}
	two := ports.AccountLookup{Account: ports.Account{Market: market, Identifier: "2"}}
	down := errors.New("down")
	look := func(l ports.AccountLookup, kind ports.Outcome, want error) {
		t.Helper()
		a, err := c.Lookup(t.Context(), l)
		if a.Kind != kind || !errors.Is(err, want) {
			t.Errorf("got %v and %v, want %v and %v", a, err, kind, want)
		}
	}
	look(one, ports.OutcomeFound, nil)
	c.Fail(down)
	look(one, "", down)
	c.Answer(ports.Answer{Kind: ports.OutcomeNotFound})
	c.AnswerFor("2", ports.Answer{Kind: ports.OutcomeUnusable})
	look(one, ports.OutcomeNotFound, nil)
	look(two, ports.OutcomeUnusable, nil)
	if asked := c.Asked(); len(asked) != 4 || asked[3].Identifier != "2" {
		t.Errorf("asked %v", asked)
	}
}

func TestScriptedConnectorIsSlow(t *testing.T) {
	clock := portstest.NewClock(morning)
	c := fake.NewConnector("slow", nil)
	lookup := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := c.Lookup(ctx, ports.AccountLookup{})
			done <- err
		}()
		return done
	}
	c.Take(clock, time.Second)
	release := c.Hold()
	done := lookup(t.Context())
	clock.BlockUntil(1)
	clock.Advance(time.Second)
	release()
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	done = lookup(ctx)
	c.WaitAsked(2)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error("the lookup ignored its context:", err)
	}

	c.Deafen()
	done = lookup(ctx)
	clock.BlockUntil(1)
	select {
	case err := <-done:
		t.Error("a deaf connector's lookup ended with its context:", err)
	default:
	}
	for len(done) == 0 {
		clock.Advance(time.Second)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func ExampleNewConnector() {
	market := ports.Market{Country: "NGA", Type: ports.BankAccount}
	bank := fake.NewConnector("bank", []ports.Capability{{Market: market, ReturnsName: true}})
	bank.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
	bank.AnswerFor("0690000032", ports.Answer{Kind: ports.OutcomeNotFound, Message: "no such account"})

	for _, identifier := range []string{"1234567895", "0690000032"} {
		answer, err := bank.Lookup(context.Background(), ports.AccountLookup{Account: ports.Account{Market: market, Identifier: identifier}})
		fmt.Println(answer.Kind, answer.HolderName, answer.Message, err)
	}
	fmt.Println("asked", len(bank.Asked()), "times")
	// Output:
	// found AMA SERWAA MENSAH  <nil>
	// not_found  no such account <nil>
	// asked 2 times
}
