package cmd

import (
	"context"
	"fmt"

	"github.com/corridor-go/corridor/adapters/service"
)

// serveCmd runs the service with its settings as flags.
type serveCmd struct{ service.Settings }

// Run serves until the context is done or the service cannot continue.
func (c *serveCmd) Run(world *surroundings) error {
	s, err := service.New(world.ctx, &c.Settings, world.parts, &service.Config{Stdout: world.stdout, Stderr: world.stderr})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(world.ctx))
	defer cancel()
	defer context.AfterFunc(world.ctx, func() {
		_, _ = fmt.Fprintln(world.stderr, "interrupted: the service stops within 10 s; a second SIGINT or SIGTERM ends it at once")
		cancel() // after the line, so that "stopped" is the last one
	})()
	return s.Serve(ctx)
}
