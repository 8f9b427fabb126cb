package webhook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
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
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message, err := receiver.Receive(r)
		if err != nil {
			w.WriteHeader(errcodes.StatusOf(err))
			return
		}
		event, err := message.Event()
		fmt.Println(event.ID, event.Kind, event.Owner, string(event.Data), err)
	}))
	defer shop.Close()

	// The example's receiver is on this machine, which requires AllowPrivate.
	sink, err := webhook.New(shop.URL, secrets, &webhook.Config{AllowPrivate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	err = sink.Deliver(context.Background(), ports.Event{
		ID: "lock-1.expired", Kind: "rate_lock.expired", Key: "lock-1", Owner: "acme",
		At: time.Now(), Data: []byte(`{"rateLockId":"lock-1"}`),
	})
	fmt.Println("delivered:", err)

	_, err = webhook.New("https://169.254.169.254/latest/meta-data", secrets, nil)
	fmt.Println(err)
	// Output:
	// lock-1.expired rate_lock.expired acme {"rateLockId":"lock-1"} <nil>
	// delivered: <nil>
	// configuration: the webhook's URL must have a public address; others require AllowPrivate
}

func ExampleVerify() {
	secrets, err := webhook.ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		fmt.Println(err)
		return
	}
	body := []byte(`{"test": 2432232314}`)
	header := http.Header{}
	header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

	sent := time.Unix(1614265330, 0)
	message, err := webhook.Verify(secrets, header, body, sent.Add(time.Second))
	fmt.Println(message.ID, err)
	_, err = webhook.Verify(secrets, header, []byte(`{"test": 1}`), sent)
	fmt.Println(err)
	_, err = webhook.Verify(secrets, header, body, sent.Add(time.Hour))
	fmt.Println(err)
	// Output:
	// msg_p5jXN8AQM9LWM0D4loKWxJek <nil>
	// unauthorized: The signature is wrong
	// unauthorized: The message is more than 5m0s old
}

func ExampleNewSecret() {
	random := io.Reader(bytes.NewReader(make([]byte, 32))) // in a program: crypto/rand.Reader
	secret, err := webhook.NewSecret(random)
	fmt.Println(secret, err)
	fmt.Println(secret.Reveal())
	// Output:
	// webhook secret <nil>
	// whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
}

func ExampleParseSecrets() {
	// All secrets sign while the receivers change from one to the other.
	secrets, err := webhook.ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
	fmt.Println(len(secrets), err)
	_, err = webhook.ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw,whsec_c2hvcnQ=")
	fmt.Println(errcodes.Of(err))
	fmt.Println(secrets[0]) // shows nothing of it
	// Output:
	// 2 <nil>
	// configuration
	// webhook secret
}
