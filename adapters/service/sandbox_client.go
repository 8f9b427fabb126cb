package service

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const sandboxClientID = "sandbox"

// greeting prints instructions when the service is reachable at url.
type greeting func(out io.Writer, url string)

// introduceSandbox adds a secret to the sandbox client, and returns a function that
// prints it, with a command that locks the rate of pair.
func introduceSandbox(ctx context.Context, s *Store, pair ports.Pair) (greeting, error) {
	var secret clientauth.Secret
	err := s.alone(ctx, func() (err error) {
		secret, err = sandboxClient(ctx, s.Clients())
		return err
	})
	return func(out io.Writer, url string) { greetSandbox(out, url, secret, pair) }, err
}

// sandboxClient adds a secret to the store's sandbox client, so that each start can print
// a valid one and the client keeps its locks. Only the last clientauth.MaxSecrets secrets
// remain valid.
func sandboxClient(ctx context.Context, clients ports.ClientStore) (clientauth.Secret, error) {
	client, err := clients.Client(ctx, sandboxClientID)
	if err != nil && errcodes.Of(err) != errcodes.NotFound {
		return "", err
	}
	secret, hash, err := clientauth.NewSecret(rand.Reader)
	if err != nil {
		return "", err
	}
	client.ID, client.Merchants = sandboxClientID, []string{ports.AnyMerchant}
	client.Secrets = append([]ports.ClientSecret{{SHA256: hash}}, client.Secrets...)
	client.Secrets = client.Secrets[:min(len(client.Secrets), clientauth.MaxSecrets)]
	return secret, clients.PutClient(ctx, client, ports.AuditRow{
		At: time.Now(), Actor: ports.ActorOf(ctx), Act: ports.ActClientPut, Owner: client.ID, Object: client.ID,
	})
}

// examplePair returns a pair that the feed offers: USD/ZAR if possible, and also if the feed
// does not answer within a second.
func examplePair(ctx context.Context, feed ports.PriceFeed) ports.Pair {
	usual := ports.Pair{Base: "USD", Quote: "ZAR"}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	offered, err := feed.Pairs(ctx)
	if err != nil || offered.Len() == 0 || offered.Has(usual) {
		return usual
	}
	return offered.All()[0]
}

// greetSandbox prints the secret, once, with commands that use it.
func greetSandbox(out io.Writer, url string, secret clientauth.Secret, pair ports.Pair) {
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)
	_, _ = fmt.Fprintf(out, `sandbox client (the secret is printed only once):
  client_id     %[2]s
  client_secret %[3]s

lock %[6]s/%[7]s for the client:
  TOKEN=$(curl -s %[1]s/v1/auth/oauth2/token -H 'Content-Type: application/json' -d '{"client_id":"%[2]s","client_secret":"%[3]s"}' | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s %[1]s/v1/rate-locks -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"base":"%[6]s","quote":"%[7]s"}'

check a payout account, found under the name AMA SERWAA MENSAH:
  curl -s %[1]s/accounts/validate -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"merchantId":"7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f","country":"NGA","accountType":"bank_account","accountIdentifier":"0690000032","bankCode":"044","accountHolderName":"Mensah, Ama"}'

poll a payment that has failed:
  curl -s %[1]s/v1/payment/tx_sandbox_failed -H "Authorization: Bearer $TOKEN"

report on the settlements of a month, then read the report by the returned id:
  curl -s %[1]s/v1/reports/unmatched-settlements -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"merchantId":"7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f","name":"A month","parameters":{"dateRange":{"startDate":"%[4]s","endDate":"%[5]s"}}}'
  curl -s %[1]s/v1/reports/unmatched-settlements/ID -H "Authorization: Bearer $TOKEN"

the whole interface: %[1]s/docs
`, url, sandboxClientID, string(secret), month.Format(time.DateOnly), month.AddDate(0, 1, -1).Format(time.DateOnly), pair.Base, pair.Quote)
}
