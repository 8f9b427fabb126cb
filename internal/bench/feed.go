package main

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// steady is a feed that returns prices from memory, like the file and sandbox feeds.
type steady struct{ offered ports.PairSet }

func (s steady) Pairs(context.Context) (ports.PairSet, error) { return s.offered, nil }

func (s steady) Mid(_ context.Context, pair ports.Pair) (ports.Price, error) {
	return ports.Price{Pair: pair, Mid: "18.2500", Source: "steady", At: time.Now()}, nil
}
