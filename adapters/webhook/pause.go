package webhook

import (
	"net/http"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// errPaused is to be retried: the event waits like one whose receiver is down, so it is
// buried if the pause outlasts all attempts.
var errPaused = errcodes.Wrap(errcodes.Unavailable, "the receiver is paused", ports.DeliveryReason("paused after 410 Gone"))

// pause is the pause of a receiver that answered 410. It ends with an answer of 2xx; any
// other answer does not show whether the receiver is gone.
type pause struct {
	mu   sync.Mutex
	on   bool
	from time.Time // of the last 410, or of the probe whose answer is awaited
}

// admits reports whether an event may be sent at now. During a pause these are replayed
// events, because an operator wants them to be sent, and a probe when the length has
// passed or the clock was set back.
func (p *pause) admits(now time.Time, length time.Duration, replayed bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := now.Sub(p.from); p.on && !replayed && since >= 0 && since < length {
		return false
	}
	p.from = now
	return true
}

// learn changes the pause by the status of an answer, or 0. It calls changed if the
// pause begins or ends, within the lock, so that calls keep the order of the changes.
func (p *pause) learn(status int, now time.Time, changed func(on bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.on
	switch {
	case status == http.StatusGone:
		p.on, p.from = true, now
	case isSuccess(status):
		p.on = false
	}
	if p.on != was {
		changed(p.on)
	}
}
