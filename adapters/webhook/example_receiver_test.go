package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// inbox is a receiver that acts once on each event. The map stands for a table whose
// primary key is the event's id.
type inbox struct {
	receiver *webhook.Receiver
	act      func(ports.Event) error

	mu   sync.Mutex
	done map[string]bool
}

// ServeHTTP answers 204 only after it has acted. After any other answer the sender
// delivers the event again.
func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	message, err := i.receiver.Receive(r) // 401 if the signature or the time is wrong, 413 above 1 MiB
	if err == nil {
		err = i.once(message)
	}
	if err != nil {
		http.Error(w, errcodes.MessageOf(err), errcodes.StatusOf(err))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// once acts on an event unless it was done before. With a database, insert the id and act
// in one transaction; an insert that finds the id has nothing to do.
func (i *inbox) once(m webhook.Message) error {
	event, err := m.Event()
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.done[event.ID] {
		return nil
	}
	if err := i.act(event); err != nil {
		return err
	}
	i.done[event.ID] = true
	return nil
}

// A receiver acts on an event before it answers 2xx, and ignores repeated ids.
func ExampleNewReceiver() {
	secrets, err := webhook.ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		fmt.Println(err)
		return
	}
	receiver, err := webhook.NewReceiver(secrets, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	act := func(e ports.Event) error {
		fmt.Println("act on", e.Kind, string(e.Data))
		return nil
	}
	shop := httptest.NewServer(&inbox{receiver: receiver, act: act, done: map[string]bool{}}) // in a program: an http.Server
	defer shop.Close()

	sink, err := webhook.New(shop.URL, secrets, &webhook.Config{AllowPrivate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	for range 2 { // the answer to the first delivery could have been lost
		err = sink.Deliver(context.Background(), ports.Event{
			ID: "evt_1", Kind: "transaction.succeeded", Key: "tx_1", Owner: "acme",
			At: time.Now(), Data: []byte(`{"transactionId":"tx_1","status":"SUCCEEDED"}`),
		})
		fmt.Println("delivered:", err)
	}
	// Output:
	// act on transaction.succeeded {"transactionId":"tx_1","status":"SUCCEEDED"}
	// delivered: <nil>
	// delivered: <nil>
}
