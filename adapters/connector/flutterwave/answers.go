package flutterwave

import (
	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
)

var phrases = []httpcall.Phrase{
	{Begins: "invalid account", Kind: ports.AnswerNotFound},
}

// resolved reads the answer about an account number. Server errors have a code and
// no status (developer.flutterwave.com/docs/integration-guides/errors).
func resolved(reply httpcall.Reply, number string) (ports.Answer, error) {
	return httpcall.Resolve(reply, number, phrases, func(status string) (success, known bool) {
		return status == "success", status == "success" || status == "error"
	})
}
