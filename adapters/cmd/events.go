package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

// eventsCmd is for operators who handle undeliverable events.
type eventsCmd struct {
	Buried  buriedCmd  `cmd:"" help:"List undeliverable events as JSON lines."`
	Replay  replayCmd  `cmd:"" help:"Deliver undeliverable events again, in order, also to a receiver that is paused."`
	Discard discardCmd `cmd:"" help:"Remove undeliverable events permanently."`
}

type storeSetting struct {
	Store string `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" help:"The store of the service: sqlite:PATH or postgres://…." placeholder:"STORE"`
}

// letters calls fn with the dead letters of the store.
func (c *storeSetting) letters(world *surroundings, fn func(ports.DeadLetters) error) error {
	return c.with(world, func(s *service.Store) error { return fn(s.DeadLetters()) })
}

// with calls fn with the store.
func (c *storeSetting) with(world *surroundings, fn func(*service.Store) error) error {
	if err := c.wasUsed(); err != nil {
		return service.Reject(err)
	}
	s, err := service.OpenStore(world.ctx, world.parts, c.Store)
	if err != nil {
		return service.Reject(err)
	}
	return errors.Join(fn(s), s.Close())
}

// wasUsed rejects stores that no service can have used: a mistyped path would create an
// empty store.
func (c *storeSetting) wasUsed() error {
	kind, path, _ := strings.Cut(c.Store, ":")
	switch {
	case kind == "memory":
		return fmt.Errorf("--store %s: a memory store exists only in the service; want sqlite:PATH or postgres://…", c.Store)
	case kind == "sqlite" && path != "":
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("--store %s: %w", c.Store, err)
		}
	}
	return nil
}

type buriedCmd struct{ storeSetting }

// buriedLine is an event in the list. Its data stay in the store.
type buriedLine struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	ClientID string    `json:"clientId"`
	At       time.Time `json:"at"`
	Attempts int       `json:"attempts"`
	Reason   string    `json:"reason"`
}

const buriedPage = 1000

// Run lists the events in the order in which they were saved.
func (c *buriedCmd) Run(world *surroundings) error {
	out := json.NewEncoder(world.stdout)
	return c.letters(world, func(letters ports.DeadLetters) error {
		for after := int64(0); ; {
			page, err := letters.Buried(world.ctx, after, buriedPage)
			if err != nil {
				return err
			}
			for _, e := range page {
				if err := out.Encode(buriedLine{e.ID, e.Kind, e.Owner, printable(e.At), e.Attempt, e.Reason}); err != nil {
					return err
				}
				after = e.Pos
			}
			if len(page) < buriedPage {
				return nil
			}
		}
	})
}

// printable returns at, or the zero time if JSON cannot represent it because the record
// is damaged.
func printable(at time.Time) time.Time {
	if _, err := at.MarshalJSON(); err != nil {
		return time.Time{}
	}
	return at
}

type replayCmd struct {
	storeSetting

	IDs []string `arg:""                    help:"The events' ids." name:"id" optional:""`
	All bool     `help:"Replay all undeliverable events."`
}

// Validate requires either ids or --all.
func (c *replayCmd) Validate() error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("event ids or --all are required")
	}
	return nil
}

// Run makes the events due for delivery again.
func (c *replayCmd) Run(world *surroundings) error {
	return c.letters(world, func(letters ports.DeadLetters) error {
		n, err := letters.Replay(world.ctx, time.Now(), operatorRow(ports.ActEventReplayed), c.IDs...)
		return printCount(world, n, "replayed", c.IDs, err)
	})
}

type discardCmd struct {
	storeSetting

	IDs []string `arg:"" help:"The events' ids." name:"id"`
}

// Run removes the events.
func (c *discardCmd) Run(world *surroundings) error {
	return c.letters(world, func(letters ports.DeadLetters) error {
		n, err := letters.Discard(world.ctx, operatorRow(ports.ActEventDiscarded), c.IDs...)
		return printCount(world, n, "discarded", c.IDs, err)
	})
}

// operatorRow returns the audit row of an operator's action.
func operatorRow(act string) ports.AuditRow {
	return ports.AuditRow{At: time.Now(), Actor: ports.Actor{Client: ports.Operator}, Act: act}
}

// printCount prints how many events were changed. It returns an error if some of the ids
// name no undeliverable event.
func printCount(world *surroundings, n int, what string, ids []string, err error) error {
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(world.stdout, "%d %s\n", n, what); err != nil {
		return err
	}
	asked := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	if asked > n {
		return fmt.Errorf("undeliverable events do not include %d of %d ids: corridor events buried lists them", asked-n, asked)
	}
	return nil
}
