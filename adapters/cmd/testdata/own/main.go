package main

import (
	"context"
	"net/http"

	"example.org/bank"
	"github.com/corridor-go/corridor/adapters/cmd"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

func main() {
	parts := service.Shipped()
	open := func(_ context.Context, address string, o service.FeedOptions) (ports.PriceFeed, error) {
		return bank.New(address, &bank.Config{Client: &http.Client{Timeout: o.Timeout}})
	}
	parts.Feeds = append(parts.Feeds, service.FeedKind{Name: bank.Name, Form: "bank:URL", Open: open})
	cmd.Main(parts)
}
