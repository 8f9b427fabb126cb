package relay

import "context"

// Drain is Tick, and returns how many events it delivered.
func (r *Relay) Drain(ctx context.Context) (int, error) { return r.drain(ctx) }
