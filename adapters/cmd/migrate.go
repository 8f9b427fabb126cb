package cmd

import (
	"fmt"

	"github.com/corridor-go/corridor/adapters/service"
)

type migrateCmd struct {
	Store string `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" help:"${stores}"`
}

// Run opens the store, which creates or upgrades its tables.
func (c *migrateCmd) Run(world *surroundings) error {
	s, err := service.OpenShared(world.ctx, world.parts, c.Store)
	if err != nil {
		return service.Reject(err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(world.stdout, "up to date:", s.Name)
	return err
}
