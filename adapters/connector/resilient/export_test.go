package resilient

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/corridor-go/corridor/ports"
)

// Clocked makes c, including failsafe's breaker, use clock instead of the machine's
// clock. failsafe has no option for it.
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
