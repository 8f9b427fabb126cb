// Package webhook sends events as signed HTTP requests, and verifies them at the
// receiver. Headers and signatures are those of Standard Webhooks 1.0.0
// (standardwebhooks.com), which has libraries for many languages.
//
//	secrets, err := webhook.ParseSecrets(os.Getenv("CORRIDOR_WEBHOOK_SECRETS"))
//	if err != nil { … }
//	sink, err := webhook.New("https://shop.example/events", secrets, nil)
//	if err != nil { … }
//	defer sink.Close()
//	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sink}, relay.Policy{}, nil) // order, backoff, burial
//
// The receiver has one of the secrets:
//
//	receiver, err := webhook.NewReceiver(secrets, nil)
//	…
//	message, err := receiver.Receive(request) // 401 and 413 are errcodes.StatusOf(err)
//	event, err := message.Event()
//
// An event arrives at least once: receivers ignore repeated ids. The body is the same
// at every attempt:
//
//	{"id":"…","type":"rate_lock.minted","timestamp":"2026-03-02T09:30:15.987Z","clientId":"acme","data":{…}}
//
// A receiver that answers 410 Gone ends the delivery of that event and is paused: other
// events wait, see [Config].GoneFor. All other answers but 2xx are tried again.
//
// To replace a secret, let the sink sign with the new and the old one, hand the new one
// to the receivers, then remove the old one.
//
// A URL chosen by somebody else could point into the sender's own network. So the sink
// only connects to public addresses, checked at each connection after the name was
// resolved, and uses no proxy; [Config].AllowPrivate turns this off. Redirects are
// never followed.
package webhook
