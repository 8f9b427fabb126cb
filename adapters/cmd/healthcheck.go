package cmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/adapters/service"
)

type healthcheckCmd struct {
	Listen  string        `default:"127.0.0.1:8080" env:"CORRIDOR_LISTEN"    help:"Address that the service listens on."`
	Timeout time.Duration `default:"3s"             help:"How long to wait for an answer."`
}

// Help explains the exit status.
func (*healthcheckCmd) Help() string {
	return "It requests /readyz, and prints the service's answer, which is JSON. The exit status is 0 if the service is ready and 1 if it is not."
}

// Run requests /readyz and fails unless the response status is 200.
func (c *healthcheckCmd) Run(world *surroundings) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return service.Reject(err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(world.ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", http.NoBody)
	if err != nil {
		return service.Reject(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	const most = 4096
	body, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %d %s", answer.StatusCode, body)
	}
	_, err = fmt.Fprintln(world.stdout, string(body))
	return err
}
