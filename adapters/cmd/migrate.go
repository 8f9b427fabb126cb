package cmd

import (
	"encoding/json"
	"fmt"

	"github.com/corridor-go/corridor/adapters/service"
)

type migrateCmd struct {
	Store string `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" help:"The store of the service: ${stores}." placeholder:"STORE"`
	JSON  bool   `help:"Print one JSON object." name:"json"`
}

type migration struct {
	Store    string `json:"store"` // without password
	UpToDate bool   `json:"upToDate"`
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
	if c.JSON {
		return json.NewEncoder(world.stdout).Encode(migration{s.Name, true})
	}
	_, err = fmt.Fprintln(world.stdout, "up to date:", s.Name)
	return err
}
