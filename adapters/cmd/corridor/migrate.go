package main

import (
	"fmt"
	"log/slog"
)

type migrateCmd struct {
	Store string `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" help:"memory:, sqlite:PATH or postgres://…"`
}

// Run opens the store, which brings its tables up to date.
func (c *migrateCmd) Run(world *surroundings) error {
	s, err := openShared(world.ctx, c.Store, newCounters(), slog.New(slog.DiscardHandler))
	if err != nil {
		return rejected{err}
	}
	if err := s.close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(world.stdout, "up to date:", storeName(c.Store))
	return err
}
