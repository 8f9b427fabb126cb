package failures

import (
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Match is how an answer was found.
type Match string

// The ways, in the order in which they are tried.
const (
	MatchNone       Match = ""
	MatchOverride   Match = "override"   // the embedder's own row
	MatchMessage    Match = "message"    // code and message
	MatchCode       Match = "code"       // the code, byte for byte
	MatchNormalised Match = "normalised" // the code, tidied
	MatchBase       Match = "base"       // the base scheme's table
	MatchFamily     Match = "family"     // a pattern
	MatchFallback   Match = "fallback"   // nothing knew it
)

// Input is one raw answer of a provider.
type Input struct {
	Scheme    Scheme             // required
	Direction errcodes.Direction // required: it decides the state as well as the code
	Code      string             // any bytes, at most ports.MaxRaw; "" lets the message stand in for it
	Message   string             // any bytes, at most ports.MaxRaw
	State     errcodes.State     // the caller's hint for codes that nothing knows: StateError makes them downstreamError; optional
}

// String shows an input without what the provider said.
func (i Input) String() string {
	return "an answer of " + string(i.Scheme) + " on a " + string(i.Direction)
}

// LogValue is what logs show of an input.
func (i Input) LogValue() slog.Value { return slog.StringValue(i.String()) }

// Result is what an [Input] means.
type Result struct {
	Outcome    Outcome
	Code       errcodes.TransactionCode // of Failed and Errored; else ""
	Raw        ports.RawFailure         // as it came in, byte for byte (I26)
	MatchedBy  Match
	Confidence Confidence // "" for a fallback
	Scheme     Scheme
	Direction  errcodes.Direction
	Tables     string // version of the table that answered; "" for an override or a fallback
}

// Failure reports whether the transaction has failed or errored.
func (r Result) Failure() bool { return r.Code != "" }

// Message is the summary for people. It never holds a provider's text.
func (r Result) Message() string { return r.Code.Row().Message }

// AuthState gives the authState of a transaction that entered it at the time
// given. Only a [Result.Failure] has one.
func (r Result) AuthState(at time.Time) ports.AuthState {
	return ports.AuthState{
		State: errcodes.State(r.Outcome), Message: r.Message(), Code: r.Code,
		ConnectorFailureCode: r.Raw.Code, ConnectorFailureMessage: r.Raw.Message, TransitionedAt: at,
	}
}

// String shows a result without what the provider said.
func (r Result) String() string {
	return string(r.Scheme) + " " + string(r.Direction) + " " + string(r.Outcome) + " " + string(r.Code)
}

// LogValue is what logs show of a result.
func (r Result) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Config tunes a [Normaliser]. Its zero value takes the shipped
// tables as they are.
type Config struct {
	// Overrides are tried before the shipped table of their scheme. They do not
	// reach what other schemes pass through: a row for iso8583 is not asked for
	// paystack. A scheme that only overrides name is known by them.
	Overrides map[Scheme][]Row
	// Unmapped is told of each raw code that nothing knew, so that coverage can
	// be watched. It is called in place; it must be quick and safe for
	// concurrent use. What the provider said may hold personal data: it belongs
	// into no metric label.
	Unmapped func(r Result)
}

// Normaliser turns raw codes into the codes of SPEC 7.5. It is safe for
// concurrent use. The zero value has the shipped tables alone.
type Normaliser struct {
	overrides map[Scheme]*table
	unmapped  func(Result)
}

// New makes a normaliser. Overrides that [Lint] complains of are
// errcodes.Configuration. A nil *Config means no overrides.
func New(config *Config) (*Normaliser, error) {
	if config == nil {
		return &Normaliser{}, nil
	}
	n := &Normaliser{unmapped: config.Unmapped}
	for scheme, rows := range config.Overrides {
		if scheme == "" {
			return nil, errcodes.New(errcodes.Configuration, "overrides need the name of a scheme")
		}
		if complaints := Lint(rows); len(complaints) > 0 {
			return nil, complaintsError(scheme, complaints)
		}
		if n.overrides == nil {
			n.overrides = make(map[Scheme]*table, len(config.Overrides))
		}
		n.overrides[scheme] = newTable(rows, "")
	}
	return n, nil
}

// Normalise gives the meaning of a raw answer. It is total (I26): whatever goes
// in, a result comes out that has an outcome and, for a failure, a code.
//
// What no table knows is declined, or downstreamError if Input.State says
// error. So is the result beside an error: InvalidRequest for a scheme, a
// direction or a state that is none, PayloadTooLarge for a raw code or message
// above ports.MaxRaw. Whoever has no better use for the error may ignore it.
func (n *Normaliser) Normalise(in Input) (Result, error) {
	own, load := n.overrides[in.Scheme], shipped[in.Scheme]
	if err := check(&in, own != nil || load != nil); err != nil {
		return fallback(&in), err
	}
	c, by, version := find(&in, own, load)
	if by == MatchNone {
		r := fallback(&in)
		if n.unmapped != nil {
			n.unmapped(r)
		}
		return r, nil
	}
	return Result{
		Outcome: c.outcome, Code: c.code, Raw: ports.RawFailure{Code: in.Code, Message: in.Message}, MatchedBy: by,
		Confidence: c.confidence, Scheme: in.Scheme, Direction: in.Direction, Tables: version,
	}, nil
}

func fallback(in *Input) Result {
	r := Result{
		Outcome: Failed, Code: errcodes.FailureDeclined, Raw: ports.RawFailure{Code: in.Code, Message: in.Message},
		MatchedBy: MatchFallback, Scheme: in.Scheme, Direction: in.Direction,
	}
	if in.State == errcodes.StateError {
		r.Outcome, r.Code = Errored, errcodes.ErrorDownstream
	}
	return r
}

// find asks the tables in the order of precedence. A message that stands in for
// a code counts as the match.
func find(in *Input, own *table, load func() *table) (c *cell, by Match, version string) {
	if in.Code != "" {
		return findCode(in, in.Code, own, load)
	}
	c, by, version = findCode(in, in.Message, own, load)
	if by == MatchCode || by == MatchNormalised {
		by = MatchMessage
	}
	return c, by, version
}

func findCode(in *Input, code string, own *table, load func() *table) (c *cell, by Match, version string) {
	if own != nil {
		if c, by = own.in(in.Direction).findAll(code, in, in.Scheme.beforeColon() == in.Scheme); by != MatchNone {
			return c, MatchOverride, ""
		}
	}
	if load == nil {
		return nil, MatchNone, ""
	}
	t := load()
	if c, by = t.in(in.Direction).find(code, in.Message); by != MatchNone {
		return c, by, t.version
	}
	return findElsewhere(in, code, t)
}

// findElsewhere tries, beside the scheme's own table, those whose codes it
// passes through.
func findElsewhere(in *Input, code string, t *table) (c *cell, by Match, version string) {
	if c, by, version = findBeforeColon(in, code, t); by != MatchNone {
		return c, by, version
	}
	if base := shipped[in.Scheme.Base()]; base != nil {
		b := base()
		if c, by = b.in(in.Direction).findAll(code, in, true); by != MatchNone {
			return c, MatchBase, b.version
		}
	}
	c, by = t.in(in.Direction).findFamily(code, in.Message)
	return c, by, t.version
}

func findBeforeColon(in *Input, code string, t *table) (c *cell, by Match, version string) {
	before := in.Scheme.beforeColon()
	if before == in.Scheme {
		c, by = t.in(in.Direction).findHead(code, in)
		return c, by, t.version
	}
	b := shipped[before]()
	if c, by = b.in(in.Direction).findHead(code, in); by != MatchNone {
		by = MatchBase
	}
	return c, by, b.version
}

func check(in *Input, known bool) error {
	switch {
	case len(in.Code) > ports.MaxRaw || len(in.Message) > ports.MaxRaw:
		return errcodes.New(errcodes.PayloadTooLarge, "A raw code or message is above 64 KiB")
	case !known:
		return badField("scheme", "is not known")
	case !in.Direction.Valid():
		return badField("direction", "must be payin or payout")
	case in.State != "" && !in.State.Valid():
		return badField("state", "must be failed or error")
	default:
		return nil
	}
}

func badField(name, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, name+" "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: name, Reason: reason}}})
}
