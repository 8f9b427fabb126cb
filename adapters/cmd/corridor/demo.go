package main

import "github.com/corridor-go/corridor/adapters/cmd/corridor/internal/demo"

type demoCmd struct{}

// Run tells the story, and fails when a value differs from it.
func (c *demoCmd) Run(world *surroundings) error { return demo.Tell(world.ctx, world.stdout) }
