//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// attack is what attackers do for as long as the clients work.
type attack struct {
	name, about string
	clients     []place
	memory      string // why the peak of the memory does not fail the attack; usually empty
	// settings prepares files in dir and returns further arguments of serve; may be nil.
	settings func(ctx context.Context, dir string, a *attackers) ([]string, error)
	// setting is the flag that the service may reject, so that it does not start.
	setting string
	// run attacks until ctx ends. It fails if the attack cannot have had an effect.
	run func(context.Context, *attackers) error
}

// apart is the address of a client that shares it with no attacker.
const apart = "127.0.0.50"

var elsewhere = []place{{addr: apart}}

// many is how many addresses the attackers have if not one.
const many = 30

var attacks = []attack{
	{
		name: "slow-tokens-one", about: "6,000 connections from one address send long token bodies slowly",
		clients: []place{{addr: apart}, {addr: "127.0.0.2", allowed: "it shares the attackers' address, and so its bounds"}},
		run:     func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 6000, 1, slowToken) },
	},
	{
		name: "slow-tokens", about: "the same from 30 addresses", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 6000, many, slowToken) },
	},
	{
		name: "slow-headers", about: "6,000 connections send headers slowly", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 6000, many, slowHeaders) },
	},
	{
		name: "idle", about: "10,000 connections send nothing", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error {
			return a.crowd(ctx, mostConnections, many, func(c *conn, _ int) { c.silent(0) })
		},
	},
	{
		name: "large-bodies", about: "200 connections send large bodies without a valid token, as fast as they can", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 200, many, largeBodies) },
	},
	{
		name: "flood", about: "200 connections try tokens and secrets, as fast as they can", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 200, many, flood) },
	},
	{
		name: "few-headers", about: "6,000 connections hold the beginning of a short header", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 6000, many, fewHeaders) },
	},
	{
		name: "held-answers", about: "6,000 connections ask with many headers and never send their body", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 6000, many, heldAnswer) },
	},
	{
		name: "pipelines", about: "3,000 connections send many requests at once and read no answer", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 3000, many, pipeline) },
	},
	{
		name: "metrics", about: "1,000 connections ask for the metrics, as fast as they can", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 1000, many, metrics) },
	},
	{
		name: "slow-readers", about: "2,000 connections read the documentation, a byte a second", clients: elsewhere,
		run: func(ctx context.Context, a *attackers) error { return a.crowd(ctx, 2000, many, slowReader) },
	},
	{
		name: "feed-start", about: "an ECB file of 99 KB with 2,500 currencies, at the start", clients: elsewhere,
		settings: hugeFile, setting: "--feed", run: nothing,
	},
	{
		name: "feed-running", about: "the same file, which the service reads while it runs", clients: elsewhere,
		settings: hugeSource, run: wasRead,
	},
	{
		name: "client-bodies", about: "300 connections of a client with a token send bodies of 1 MiB slowly",
		clients: []place{{addr: apart, allowed: "bodies with a valid token share one bound"}},
		memory:  "only clients with a token can do this",
		run:     clientBodies,
	},
}

// padding is the content of long bodies: text that does not end.
var padding = []byte(strings.Repeat("a", 1<<20))

// slowToken sends nearly all of a body at once, and then a byte a second. Every second one
// is as short as bodies on the route may be, with long headers.
func slowToken(c *conn, i int) {
	length, headers := 1_000_000, ""
	if i%2 == 1 {
		length, headers = 4_000, longHeaders
	}
	c.send([]byte(post("/v1/auth/oauth2/token", "", headers+fmt.Sprintf("Content-Length: %d", length)) + `{"client_id":"`))
	c.send(padding[:length-100])
	c.trickle()
}

// shortHeaders are many headers in few bytes: what a server makes of them takes much more.
var shortHeaders = func() string {
	var b strings.Builder
	for i := 0; b.Len() < 7_500; i++ {
		fmt.Fprintf(&b, "a%x:\r\n", i)
	}
	return b.String()
}()

// longHeaders are 90 headers of 7,500 bytes.
var longHeaders = func() string {
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "a%d:%s\r\n", i, padding[:76])
	}
	return b.String()
}()

// slowHeaders sends nearly as many bytes as headers may have, and then a byte a second.
// Every second one sends one long header instead of many short ones.
func slowHeaders(c *conn, i int) {
	c.send([]byte("GET /v1/rate-locks/x HTTP/1.1\r\nHost: corridor\r\n"))
	if i%2 == 0 {
		c.send([]byte(shortHeaders))
	} else {
		c.send(append([]byte("X-Padding: "), padding[:7_500]...))
	}
	c.trickle()
}

// fewHeaders sends less than a client's own headers have, and then a byte a second.
func fewHeaders(c *conn, _ int) {
	c.send(append([]byte("GET /v1/rate-locks/x HTTP/1.1\r\nX: "), padding[:220]...))
	c.trickle()
}

// unread are routes that answer before they have read a body.
var unread = []string{"/v1/rate-locks/x", "/livez", "/readyz", "/docs", "/none"}

// heldAnswer announces a body, does not send it, and waits for the connection's end.
func heldAnswer(c *conn, i int) {
	headers := shortHeaders
	if i%2 == 0 {
		headers = longHeaders
	}
	c.send([]byte(post(unread[i%len(unread)], "", headers+"Content-Length: 1000")))
	c.silent(patience)
}

// pipeline sends requests one after the other without waiting for answers.
func pipeline(c *conn, i int) {
	request := "GET " + unread[i%len(unread)] + " HTTP/1.1\r\nHost: corridor\r\n"
	if i%2 == 0 {
		request += shortHeaders
	}
	c.send([]byte(strings.Repeat(request+"\r\n", 200)))
	c.silent(patience)
}

// metrics asks again and again.
func metrics(c *conn, _ int) {
	for answers := bufio.NewReader(c.tcp); c.exchange(answers, "GET /metrics HTTP/1.1\r\nHost: corridor\r\nAccept-Encoding: gzip\r\n\r\n"); {
	}
}

// largeBodies sends 4 MiB in chunks.
func largeBodies(c *conn, i int) {
	path := [...]string{"/v1/rate-locks", "/v1/auth/oauth2/token"}[i%2]
	chunk := append(fmt.Appendf(nil, "%x\r\n", 64<<10), padding[:64<<10]...)
	chunk = append(chunk, "\r\n"...)
	c.send([]byte(post(path, unknownToken(), "Transfer-Encoding: chunked")))
	for n := 0; n < 64 && c.send(chunk); n++ {
	}
	c.send([]byte("0\r\n\r\n"))
	c.silent(patience)
}

// flood sends requests that are answered with 401, until the connection is closed.
func flood(c *conn, i int) {
	answers := bufio.NewReader(c.tcp)
	for {
		request := fmt.Sprintf("GET /v1/rate-locks/x HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer %s\r\n\r\n", unknownToken())
		if i%2 == 1 {
			body := fmt.Sprintf(`{"client_id":"client","client_secret":%q}`, secret())
			request = post("/v1/auth/oauth2/token", "", fmt.Sprintf("Content-Length: %d", len(body))) + body
		}
		if !c.exchange(answers, request) {
			return
		}
	}
}

// exchange sends a request, reads and counts the answer, and reports whether the connection
// can be used again.
func (c *conn) exchange(answers *bufio.Reader, request string) bool {
	c.send([]byte(request))
	_ = c.tcp.SetReadDeadline(time.Now().Add(patience))
	answer, err := http.ReadResponse(answers, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
	if err != nil {
		if c.ctx.Err() == nil {
			c.by.count(reason(err))
		}
		return false
	}
	c.by.count(fmt.Sprint(answer.StatusCode))
	return !answer.Close
}

// slowReader asks for a large answer many times over, and reads a byte a second after its
// status.
func slowReader(c *conn, i int) {
	path := [...]string{"/openapi.yaml", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"}[i%3]
	c.send([]byte(strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: corridor\r\n\r\n", 10)))
	c.silent(0)
	_ = c.tcp.SetReadDeadline(time.Time{})
	for b := [1]byte{}; ; idle(c.ctx, time.Second) {
		if _, err := c.tcp.Read(b[:]); err != nil {
			return
		}
	}
}

// clientBodies sends nearly all of the bodies at once, and then a byte a second.
func clientBodies(ctx context.Context, a *attackers) error {
	attacker := newClient(a.target, place{addr: "127.0.0.2"})
	defer attacker.close()
	if err := attacker.login(ctx, "attacker", a.secret); err != nil {
		return err
	}
	head := []byte(post("/v1/reports/transactions", attacker.token, fmt.Sprintf("Content-Length: %d", 1<<20)) + `{"merchantId":"`)
	return a.crowd(ctx, 300, many, func(c *conn, _ int) {
		c.send(head)
		c.send(padding[:1<<20-100])
		c.trickle()
	})
}

// hugeFile makes the service start on a huge file, and on a good one.
func hugeFile(_ context.Context, dir string, _ *attackers) ([]string, error) {
	path := filepath.Join(dir, "ecb.xml")
	if err := os.WriteFile(path, huge(), 0o600); err != nil {
		return nil, err
	}
	return feeds(dir, path)
}

// hugeSource makes the service read a huge file from an address, which it does only once
// it runs: a path that it has read is read again after 15 minutes.
func hugeSource(ctx context.Context, dir string, a *attackers) ([]string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	file := huge()
	source := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a.count("read of the file")
		_, _ = w.Write(file)
	})}
	context.AfterFunc(ctx, func() { _ = source.Close() })
	go func() { _ = source.Serve(listener) }()
	return feeds(dir, "http://"+listener.Addr().String())
}

// feeds returns the arguments for the bank's rates, and for a good feed that is asked if
// the bank has no price.
func feeds(dir, bank string) ([]string, error) {
	good := filepath.Join(dir, "feed.json")
	err := os.WriteFile(good, []byte(`{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"}]}`), 0o600)
	return []string{"--feed", "ecb:" + bank + ",file:" + good}, err
}

// huge returns the bank's file for yesterday with 2,500 currencies, most of them made up.
func huge() []byte {
	const most = 2500
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube>
`)
	fmt.Fprintf(&b, "<Cube time='%s'>\n", time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly))
	codes := []string{"USD", "ZAR"}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for n := 0; len(codes) < most; n++ {
		code := string([]byte{letters[n/676], letters[n/26%26], letters[n%26]})
		if code != "EUR" { // USD and ZAR come much later
			codes = append(codes, code)
		}
	}
	for _, code := range codes {
		fmt.Fprintf(&b, "<Cube currency='%s' rate='1.12250'/>\n", code)
	}
	b.WriteString("</Cube></Cube></gesmes:Envelope>\n")
	return []byte(b.String())
}

var errNotReached = errors.New("the attack did not reach the service")

// nothing waits, because the attack is in the settings.
func nothing(ctx context.Context, _ *attackers) error {
	<-ctx.Done()
	return nil
}

// wasRead waits, and reports whether the service has read the source.
func wasRead(ctx context.Context, a *attackers) error {
	<-ctx.Done()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.answers) == 0 {
		return errNotReached
	}
	return nil
}

// post returns the head of a request with a body.
func post(path, token, length string) string {
	head := "POST " + path + " HTTP/1.1\r\nHost: corridor\r\nContent-Type: application/json\r\n" + length + "\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	return head + "\r\n"
}

// secret returns a client's secret in the form of corridor client new.
func secret() string { return "cor_sk_" + random() }

// unknownToken returns a token in the form of the service's tokens.
func unknownToken() string { return "cor_at_" + random() }

// random returns 256 bits in 43 characters.
func random() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
