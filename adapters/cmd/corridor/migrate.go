package main

import (
	"fmt"
)

type migrateCmd struct {
	Store string `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" help:"memory: or sqlite:PATH."`
}

// Run opens the store, which brings its tables up to date.
func (c *migrateCmd) Run(world *surroundings) error {
	s, err := openStore(world.ctx, c.Store)
	if err != nil {
		return rejected{err}
	}
	if err := s.close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(world.stdout, "up to date:", c.Store)
	return err
}
