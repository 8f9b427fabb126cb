package service

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	webhookSecretsEnv = "CORRIDOR_WEBHOOK_SECRETS" // no flag: a command line is seen by every user of the machine
	webhookSecretName = "sandbox webhook secret"
	webhookSink       = "webhook" // the row of Parts.Sinks that --webhook-url means

	eventsEvery = 500 * time.Millisecond

	// webhookRelays deliver side by side, so that a receiver's answers are not
	// waited for one by one. Events of one thing stay in order. Each relay claims
	// one event at a time: others of its batch would wait for an answer that does
	// not come, or, when the process dies, for the end of their lease.
	webhookRelays, webhookBatch = 4, 1

	// goneFor is short: whoever replays events for a receiver that is back should
	// not have to wait.
	goneFor = time.Minute
)

// EventSettings are the settings that concern events.
type EventSettings struct {
	WebhookURL          string `env:"CORRIDOR_WEBHOOK_URL"           help:"Where events are posted, signed; off by default."                       name:"webhook-url"`
	WebhookAllowPrivate bool   `env:"CORRIDOR_WEBHOOK_ALLOW_PRIVATE" help:"Let the receiver be in a private network or on this machine, and http." name:"webhook-allow-private"`
}

// events are how stored events leave.
type events struct {
	relays []*relay.Relay
	hook   Sink // nil: none
	greet  greeting
}

// events makes what drains the store's outbox. Without a receiver the events are
// counted, and done with.
func (b *builder) events() (*events, error) {
	e := &events{greet: func(io.Writer, string) {}}
	if err := e.openHook(b); err != nil {
		return nil, err
	}
	if e.hook == nil && b.store.queue != nil {
		b.log.Warn("no --webhook-url: events that this process takes reach no receiver, also when another process of the database has one")
	}
	sink := &countingSink{counters: b.count, log: b.log}
	relays, batch := 1, relay.DefaultBatch
	if e.hook != nil {
		sink.next, relays, batch = e.hook, webhookRelays, webhookBatch
	}
	for range relays {
		r, err := relay.New(relay.Ports{Outbox: b.store.Outbox(), Sink: sink}, relay.Policy{}, &relay.Config{
			Logger: b.log, Every: eventsEvery, Batch: batch, Hooks: relay.Hooks{Buried: b.count.eventBuried, Background: b.count.backgroundFailed},
		})
		if err != nil {
			return nil, err
		}
		e.relays = append(e.relays, r)
	}
	return e, nil
}

func (e *events) openHook(b *builder) error {
	c, inSandbox := &b.settings.Events, b.settings.Sandbox
	text := os.Getenv(webhookSecretsEnv)
	switch {
	case c.WebhookURL == "" && text == "":
		return nil
	case c.WebhookURL == "":
		return errors.New(webhookSecretsEnv + " is of no use without --webhook-url")
	case text == "" && !inSandbox:
		return errors.New("--webhook-url needs secrets to sign with, in " + webhookSecretsEnv + ": whsec_base64,…")
	}
	secrets, err := e.secrets(b.ctx, b.store, text)
	if err != nil {
		return err
	}
	e.hook, err = b.parts.openSink(webhookSink, c.WebhookURL, SinkOptions{
		Secrets: secrets, AllowPrivate: c.WebhookAllowPrivate || inSandbox, Attempted: b.count.webhookAttempted,
	})
	if err != nil {
		return fmt.Errorf("--webhook-url: %w (AllowPrivate is --webhook-allow-private)", err)
	}
	b.closes(e.hook.Close)
	return nil
}

func (p Parts) openSink(name, url string, o SinkOptions) (Sink, error) {
	i := slices.IndexFunc(p.Sinks, func(k SinkKind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no sink is named %s", name)
	}
	return p.Sinks[i].Open(url, o)
}

// secrets reads the secrets. In the sandbox, where none is set, one is made and
// kept in the store, and shown.
func (e *events) secrets(ctx context.Context, s *Store, text string) ([]webhook.Secret, error) {
	if text != "" {
		secrets, err := webhook.ParseSecrets(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", webhookSecretsEnv, err)
		}
		return secrets, nil
	}
	fresh, err := webhook.NewSecret(rand.Reader)
	if err != nil {
		return nil, err
	}
	kept, err := s.Secrets().Secret(ctx, webhookSecretName, []byte(fresh.Reveal()))
	if err != nil {
		return nil, err
	}
	e.greet = func(out io.Writer, _ string) {
		_, _ = fmt.Fprintf(out, "\nwebhooks are signed with (Standard Webhooks):\n  secret        %s\n", kept)
	}
	return webhook.ParseSecrets(string(kept))
}

// countingSink counts events that the receiver has, and, at debug level, tells
// of them.
type countingSink struct {
	counters *counters
	log      *slog.Logger
	next     ports.EventSink // nil: nobody else
}

// Deliver hands the event on, and counts it.
func (s *countingSink) Deliver(ctx context.Context, e ports.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.next != nil {
		if err := s.next.Deliver(ctx, e); err != nil {
			return err
		}
	}
	s.counters.events.WithLabelValues(e.Kind).Inc()
	s.counters.delayed.Observe(max(0, time.Since(e.At).Seconds())) // At is of another process's clock, maybe
	s.log.DebugContext(ctx, "event", "id", e.ID, "kind", e.Kind, "at", e.At)
	return nil
}

func (c *counters) webhookAttempted(_ context.Context, _ string, status int, took time.Duration, _ error) {
	c.attempts.WithLabelValues(strconv.Itoa(status)).Inc()
	c.attempted.Observe(took.Seconds())
}

func (c *counters) eventBuried(_ context.Context, e ports.Event, code errcodes.Code) {
	c.buried.WithLabelValues(e.Kind, string(code)).Inc()
}
