package cmd

import "github.com/corridor-go/corridor/adapters/service"

// serveCmd runs the service with its settings as flags.
type serveCmd struct{ service.Settings }

// Run serves until the context is done or the service cannot continue.
func (c *serveCmd) Run(world *surroundings) error {
	s, err := service.New(world.ctx, &c.Settings, world.parts, &service.Config{Stdout: world.stdout, Stderr: world.stderr})
	if err != nil {
		return err
	}
	return s.Serve(world.ctx)
}
