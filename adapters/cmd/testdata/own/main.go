package main

import (
	"context"

	"example.org/bank"
	"github.com/corridor-go/corridor/adapters/cmd"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

func main() {
	parts := service.Shipped()
	open := func(_ context.Context, address string, _ service.FeedOptions) (ports.PriceFeed, error) {
		return bank.New(address, nil)
	}
	parts.Feeds = append(parts.Feeds, service.FeedKind{Name: bank.Name, Form: "bank:URL", Open: open})
	cmd.Main(parts)
}
