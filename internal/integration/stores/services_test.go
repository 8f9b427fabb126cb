package stores_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// services are the domain services and client authentication.
type services struct {
	rates    *ratelock.Service
	accounts *validation.Service
	payments *authstate.Service
	jobs     *report.Service
	logins   *clientauth.Authenticator
}

func newServices(t *rapid.T, store everyPort, w *worlds) services {
	var s services
	var err error
	s.rates, err = ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: w.feed},
		ratelock.Terms{MarkupBps: 150, ToleranceBps: 200, Validity: time.Hour}, &ratelock.Config{Clock: w.clock, Random: newSeeded(1)})
	require.NoError(t, err)
	bank := fake.NewConnector("bank", []ports.Capability{{
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true,
	}})
	bank.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH", Message: "resolved"})
	bank.AnswerFor("0123456789", ports.Answer{Kind: ports.OutcomeNotFound, Code: "unknown"})
	s.accounts, err = validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: openSealer{},
		Connectors: []ports.AccountConnector{bank},
	}, validation.Policy{CheckDigit: validation.Advise, AnswerTTL: 24 * time.Hour},
		&validation.Config{Clock: w.clock, Random: newSeeded(2)})
	require.NoError(t, err)
	s.payments, err = authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{},
		&authstate.Config{Clock: w.clock})
	require.NoError(t, err)
	s.jobs = newReports(t, store, w)
	s.logins, err = clientauth.New(clientauth.Ports{Clients: store.Clients(), Tokens: store.Tokens()}, &clientauth.Config{
		Clock: w.clock, Random: newSeeded(3), TokenLifetime: time.Hour,
	})
	require.NoError(t, err)
	return s
}

func newReports(t *rapid.T, store everyPort, w *worlds) *report.Service {
	books, err := sandbox.New(&sandbox.Config{PerDay: 30, Clock: w.clock})
	require.NoError(t, err)
	text, err := csv.New(nil)
	require.NoError(t, err)
	s, err := report.New(report.Ports{
		Reports: store.Reports(), Transactions: books.Transactions(), Settlements: books.Settlements(),
		Writers: []ports.ReportWriter{text}, Files: fake.NewFiles(), Scratch: fake.NewScratch(),
	}, report.Policy{KeepFor: 24 * time.Hour}, &report.Config{
		Clock: w.clock, Random: newSeeded(4), LinkKey: []byte(strings.Repeat("k", 32)),
	})
	require.NoError(t, err)
	return s
}

func (w *worlds) close(t *rapid.T) {
	for _, one := range w.all {
		require.NoError(t, one.accounts.Stop(context.Background()))
		require.NoError(t, one.jobs.Stop(context.Background()))
	}
}

// openSealer does not encrypt, so that stored bytes are the same in each world.
type openSealer struct{}

func (openSealer) Seal(_ context.Context, aad, plain []byte) (ports.Sealed, error) {
	bound := sha256.Sum256(aad)
	return ports.Sealed{KeyID: "open", Data: append(bound[:], plain...)}, nil
}

func (openSealer) Open(_ context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
	if sealed.KeyID != "open" {
		return nil, errcodes.New(errcodes.KeyUnknown, "")
	}
	plain, ok := bytes.CutPrefix(sealed.Data, func() []byte { bound := sha256.Sum256(aad); return bound[:] }())
	if !ok {
		return nil, errcodes.New(errcodes.CorruptRecord, "")
	}
	return plain, nil
}

func (openSealer) Digest(data []byte) [32]byte { return sha256.Sum256(data) }
