package validation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func BenchmarkKeptAnswer(b *testing.B) {
	for _, name := range []string{"", "Mensah Ama"} {
		b.Run("name="+name, func(b *testing.B) {
			store, err := memory.New(nil)
			require.NoError(b, err)
			first := fake.NewConnector("first", reaching)
			first.Answer(found)
			s, err := validation.New(validation.Ports{
				Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(b),
				Connectors: []ports.AccountConnector{first},
			}, validation.Policy{AnswerTTL: time.Hour}, nil)
			require.NoError(b, err)
			requests := make([]market.Request, 1024)
			for i := range requests {
				requests[i] = named(name)
				requests[i].BankCode, requests[i].AccountIdentifier = "100004", fmt.Sprintf("80%08d", i)
				_, err := s.Validate(b.Context(), owner, requests[i])
				require.NoError(b, err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := s.Validate(b.Context(), owner, requests[i%len(requests)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
