package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
)

const (
	httpRound   = 300 * time.Millisecond
	connections = 16
	lockBody    = `{"base":"USD","quote":"ZAR"}`
)

func httpOurs(made *setup) step {
	store := openMemory(made)
	locks := serviceOn(store.RateLocks())
	clients := must(clientauth.Parse("bench:a-secret-for-the-bench:*"))
	auth := must(clientauth.New(clientauth.Ports{Clients: clients, Tokens: store.Tokens()}, nil))
	token, _, err := auth.Issue(context.Background(), "bench", "a-secret-for-the-bench")
	check(err)
	fill(locks, []string{"bench"})
	handler := must(httpserver.New(auth, httpserver.Services{RateLocks: locks}, &httpserver.Config{RateLimit: httpserver.NoLimit}))
	return overHTTP(made, must(httpserver.NewServer(handler, nil)), token)
}

// bareLock is the response of the reference, in the form of encoding/json.
type bareLock struct {
	ID        string    `json:"rateLockId"`
	Status    string    `json:"status"`
	Base      string    `json:"base"`
	Quote     string    `json:"quote"`
	MidRate   string    `json:"midRate"`
	MarkupBps int       `json:"markupBps"`
	AllInRate string    `json:"allInRate"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func httpBare(made *setup) step {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rate-locks", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Base  string `json:"base"`
			Quote string `json:"quote"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		now := time.Now()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(bareLock{
			ID: "rl_06gzjg6rq0yb67wr3p9hmya24m", Status: "active", Base: in.Base, Quote: in.Quote,
			MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375", CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		})
	})
	return overHTTP(made, &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}, "none")
}

// overHTTP serves h on loopback and sends requests on a few cheap connections, so that
// mainly the servers are compared.
// httpServer is one of net/http or of adapters/httpserver.
type httpServer interface {
	Serve(l net.Listener) error
	Close() error
}

func overHTTP(made *setup, server httpServer, token string) step {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	made.after(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	request := []byte("POST /v1/rate-locks HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token +
		"\r\nContent-Length: " + strconv.Itoa(len(lockBody)) + "\r\n\r\n" + lockBody)
	var conns []*client
	for range connections {
		c := must(net.Dial("tcp", listener.Addr().String()))
		conns = append(conns, &client{c, bufio.NewReader(c), request})
	}
	return func(n int) {
		var all errgroup.Group
		for _, c := range conns {
			all.Go(func() error {
				for range (n + len(conns) - 1) / len(conns) {
					if err := c.roundTrip(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		check(all.Wait())
	}
}

type client struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

// roundTrip sends the request and reads one response with status 200.
func (c *client) roundTrip() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("answered %s", line)
		}
		if len(line) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(": ")); ok && strings.EqualFold(string(name), "content-length") {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("the response has no Content-Length")
	}
	_, err := io.CopyN(io.Discard, c.in, int64(length))
	return err
}
