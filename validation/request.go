package validation

import (
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// request is a request that has passed the rules. It contains everything that its result
// depends on: equal requests get the same result while the answer is cached.
type request struct {
	owner    string
	merchant string
	account  ports.Account
	identity ports.Identity
	name     string         // the holder's name as supplied, or ""
	digits   market.Verdict // of the account number
}

// key returns the cache key of the answer: a digest of everything that it depends on.
func (s *Service) key(r *request) [32]byte {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	b.plain = binrec.AppendText(b.plain[:0], labelKey)
	for _, part := range [...]string{
		r.owner, r.account.Country, string(r.account.Type), r.account.BankCode, r.account.Branch, r.account.Identifier,
		string(r.identity.Kind), string(r.identity.Document), r.identity.Number, s.routes[r.account.Market].keyName(r.name),
	} {
		b.plain = binrec.AppendText(b.plain, part)
	}
	return s.sealer.Digest(b.plain)
}

// lookupBy returns the query for a connector. It contains the name only if the connector
// compares names.
func (r *request) lookupBy(c ports.AccountConnector) ports.AccountLookup {
	l := ports.AccountLookup{Account: r.account, Identity: r.identity}
	if can, _ := ports.CapabilityIn(c.Capabilities(), r.account.Market); can.ComparesName {
		l.HolderName = r.name
	}
	return l
}
