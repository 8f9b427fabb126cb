package resilient

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/corridor-go/corridor/ports"
)

// Clocked returns the breaker of c the clock in the place of the machine's, also
// within failsafe, which offers no way to.
func Clocked(c *Connector, clock ports.Clock) {
	b := c.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock, b.latest = clock, time.Time{}
	field := reflect.ValueOf(b.inner).Elem().FieldByName("config").FieldByName("clock")
	field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	field.Set(reflect.ValueOf(clock))
	b.restart(func() { b.inner.Open(); b.inner.Close() })
}
