package cmd

import "github.com/corridor-go/corridor/adapters/cmd/internal/demo"

type demoCmd struct{}

// Run runs the demo. It fails if a value is not as expected.
func (c *demoCmd) Run(world *surroundings) error { return demo.Run(world.ctx, world.stdout) }
