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
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	webhookSecretsEnv = "CORRIDOR_WEBHOOK_SECRETS" // not a flag: command lines are visible to every user of the machine
	webhookSecretName = "sandbox webhook secret"
	webhookSink       = "webhook" // the row of Parts.Sinks for --webhook-url

	eventsEvery = 500 * time.Millisecond

	// webhookRelays deliver concurrently, so that a slow response does not delay all
	// events. Events with the same key stay in order. Each relay claims one event at a
	// time: further events would wait for the response, or for the end of their lease if
	// the process dies.
	webhookRelays, webhookBatch = 4, 1

	// goneFor is short, so that a 410 sent by mistake delays other events by little more
	// than this.
	goneFor = time.Minute
)

// EventSettings are the settings for events.
type EventSettings struct {
	WebhookURL          string `env:"CORRIDOR_WEBHOOK_URL"           help:"Address that receives events, signed; default none." placeholder:"URL" name:"webhook-url"`
	WebhookAllowPrivate bool   `env:"CORRIDOR_WEBHOOK_ALLOW_PRIVATE" help:"Allow a receiver in a private network, on this machine or over http." name:"webhook-allow-private"`
}

// events is the delivery of stored events.
type events struct {
	relays []*relay.Relay
	hook   Sink // may be nil
	paused atomic.Bool
	greet  greeting
}

// events returns the delivery of the store's outbox. Without a receiver the events are
// only counted and removed.
func (b *builder) events() (*events, error) {
	e := &events{greet: func(io.Writer, string) {}}
	if err := e.openHook(b); err != nil {
		return nil, err
	}
	if e.hook == nil && b.store.queue != nil {
		b.log.Warn("no --webhook-url: events claimed by this process are not delivered, even if another process of the database has a receiver")
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
		return errors.New(webhookSecretsEnv + " requires --webhook-url")
	case text == "" && !inSandbox:
		return errors.New("--webhook-url requires signing secrets in " + webhookSecretsEnv + ": whsec_base64,…")
	}
	secrets, err := e.secrets(b.ctx, b.store, text)
	if err != nil {
		return err
	}
	e.hook, err = b.parts.openSink(webhookSink, c.WebhookURL, SinkOptions{
		Secrets: secrets, AllowPrivate: c.WebhookAllowPrivate || inSandbox, Attempted: b.count.webhookAttempted,
		Paused: func(ctx context.Context, on bool) { e.pause(ctx, b, on) },
	})
	if err != nil {
		return fmt.Errorf("--webhook-url: %w (--webhook-allow-private sets AllowPrivate)", err)
	}
	b.closes(e.hook.Close)
	return nil
}

// pause notes that a pause of the receiver begins or ends.
func (e *events) pause(ctx context.Context, b *builder, on bool) {
	e.paused.Store(on)
	if on {
		b.count.webhookPaused.Set(1)
		b.log.WarnContext(ctx, "webhook receiver paused: it answered 410 Gone; events wait until it accepts one again", "probe_after", goneFor)
		return
	}
	b.count.webhookPaused.Set(0)
	b.log.InfoContext(ctx, "webhook receiver no longer paused: it accepted an event")
}

// checks are the readiness checks of the delivery: degraded while the receiver is paused.
func (e *events) checks() []httpserver.Check {
	if e.hook == nil {
		return nil
	}
	return []httpserver.Check{{Name: "webhook", Run: func(context.Context) (bool, error) { return e.paused.Load(), nil }}}
}

func (p Parts) openSink(name, url string, o SinkOptions) (Sink, error) {
	i := slices.IndexFunc(p.Sinks, func(k SinkKind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown sink %q", name)
	}
	return p.Sinks[i].Open(url, o)
}

// secrets returns the configured secrets. If the sandbox has none, it creates one in the
// store and prints it.
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
		_, _ = fmt.Fprintf(out, "\nwebhook signing secret (Standard Webhooks):\n  secret        %s\n", kept)
	}
	return webhook.ParseSecrets(string(kept))
}

// countingSink counts delivered events and logs them at debug level.
type countingSink struct {
	counters *counters
	log      *slog.Logger
	next     ports.EventSink // may be nil
}

// Deliver passes the event on and counts it.
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
	s.counters.delayed.Observe(max(0, time.Since(e.At).Seconds())) // At may come from another process's clock
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
