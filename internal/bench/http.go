package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/memory"
)

const (
	httpRound   = 300 * time.Millisecond
	connections = 16
	lockBody    = `{"base":"USD","quote":"ZAR"}`
)

func httpOurs() (subject, error) {
	store, err := memory.New(nil)
	if err != nil {
		return subject{}, err
	}
	locks, err := serviceOn(store.RateLocks())
	if err != nil {
		return subject{}, err
	}
	clients, err := clientauth.Parse("bench:a-secret-for-the-bench")
	if err != nil {
		return subject{}, err
	}
	auth, err := clientauth.New(clients, store.Tokens(), nil)
	if err != nil {
		return subject{}, err
	}
	token, _, err := auth.Issue(context.Background(), "bench", "a-secret-for-the-bench")
	if err != nil {
		return subject{}, err
	}
	h, err := httpserver.New(auth, httpserver.Services{RateLocks: locks}, nil)
	if err != nil {
		return subject{}, err
	}
	if err := fill(locks, []string{"bench"}); err != nil {
		return subject{}, err
	}
	return overHTTP(h, token)
}

// bareLock is the answer of the reference, as encoding/json prints it.
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

func httpBare() (subject, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rate-locks", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Base, Quote string }
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
	return overHTTP(mux, "none")
}

// overHTTP serves h on loopback and drives it from a few connections that cost
// little themselves, so that the servers are what is compared.
func overHTTP(h http.Handler, token string) (subject, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return subject{}, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	request := []byte("POST /v1/rate-locks HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token +
		"\r\nContent-Length: " + strconv.Itoa(len(lockBody)) + "\r\n\r\n" + lockBody)
	var conns []*client
	for range connections {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			return subject{}, err
		}
		conns = append(conns, &client{c, bufio.NewReader(c), request})
	}
	run := func(n int) error {
		errs := make([]error, len(conns))
		var wg sync.WaitGroup
		for i, c := range conns {
			wg.Go(func() {
				for range (n + len(conns) - 1) / len(conns) {
					if errs[i] = c.roundTrip(); errs[i] != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
	return subject{run, func() { _ = server.Close() }}, nil
}

type client struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

// roundTrip sends the request and reads one answer of status 200.
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
		return fmt.Errorf("no length")
	}
	_, err := io.CopyN(io.Discard, c.in, int64(length))
	return err
}
