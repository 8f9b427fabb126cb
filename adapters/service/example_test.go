package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

// The example starts a sandbox in memory, requests its liveness and stops it.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "corridor-example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	settings := service.Defaults()
	settings.Listen, settings.Sandbox, settings.Store = "127.0.0.1:0", true, "memory:"
	settings.Reports.ReportFiles = "dir:" + dir
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := service.New(ctx, &settings, service.Shipped(), &service.Config{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		fmt.Println("nothing was started:", err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()

	answer, err := http.Get("http://" + s.Addr().String() + "/livez")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = answer.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(answer.Status)

	stop()
	fmt.Println("stopped:", <-ended)
	// Output:
	// 200 OK
	// stopped: <nil>
}

// A program with its own feed lists it together with those of corridor.
func ExampleShipped() {
	parts := service.Shipped()
	parts.Feeds = append(parts.Feeds, service.FeedKind{
		Name: "fixed", Form: "fixed:MID",
		Open: func(context.Context, string, service.FeedOptions) (ports.PriceFeed, error) { return sandbox.New(nil) },
	})
	fmt.Println(parts.Vars()["feeds"])

	settings := service.Defaults()
	settings.Listen, settings.Feed = "127.0.0.1:0", []string{"bank:key"}
	_, err := service.New(context.Background(), &settings, parts, nil)
	fmt.Println(err)
	// Output:
	// file:PATH, ecb:URL-or-PATH or fixed:MID
	// --feed bank:…: want file:PATH, ecb:URL-or-PATH or fixed:MID
}
