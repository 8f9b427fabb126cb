package failures

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Match is the way in which a row was found.
type Match string

// The ways, in the order in which they are tried.
const (
	MatchNone       Match = ""
	MatchOverride   Match = "override"   // the embedder's own row
	MatchMessage    Match = "message"    // code and message
	MatchCode       Match = "code"       // the code, byte for byte
	MatchNormalised Match = "normalised" // the code, without regard to case and blanks
	MatchBase       Match = "base"       // the base scheme's table
	MatchFamily     Match = "family"     // a pattern
	MatchFallback   Match = "fallback"   // no row was found
)

// Input is a provider's raw answer.
type Input struct {
	Scheme    Scheme             // required
	Direction errcodes.Direction // required: it decides the state as well as the code
	Code      string             // any bytes, at most ports.MaxRaw; if it is "", the message is looked up instead
	Message   string             // any bytes, at most ports.MaxRaw
	// State is what the provider says about the transaction beside the code: failed,
	// error, or "" if it says neither. With a state, no text makes the transaction a
	// success: neither a message nor words in place of a code. StateError makes an unknown
	// code downstreamError instead of declined.
	State errcodes.State
}

// contradicts reports whether the provider says that the transaction has failed, and c,
// found by a text, that it has succeeded. A false success ships goods.
func (i *Input) contradicts(c *cell) bool {
	return i.State != "" && c.outcome == Success && (c.byMessage || !isNumbered(i.Code))
}

// String returns scheme and direction, without the raw code and message.
func (i Input) String() string {
	return "an answer of " + string(i.Scheme) + " on a " + string(i.Direction)
}

// LogValue returns [Input.String].
func (i Input) LogValue() slog.Value { return slog.StringValue(i.String()) }

// Result is the meaning of an [Input].
type Result struct {
	Outcome    Outcome
	Code       errcodes.TransactionCode // of Failed and Errored; otherwise ""
	Raw        ports.RawFailure         // the input's code and message, byte for byte (I26)
	MatchedBy  Match
	Confidence Confidence // "" for a fallback
	Scheme     Scheme
	Direction  errcodes.Direction
	Tables     string // version of the table with the row; "" for an override or a fallback
}

// Failure reports whether the transaction has failed or errored. If [Result.Known] returns
// false, that is a placeholder and not something the provider said.
func (r Result) Failure() bool { return r.Code != "" }

// Known reports whether a row was found for the raw code. What an unknown code means is
// open: the payment may still succeed. Ask the provider for the state of the payment;
// never refund it or pay again because of an unknown code.
func (r Result) Known() bool { return r.MatchedBy != MatchNone && r.MatchedBy != MatchFallback }

// Message returns a text for people. It never contains a provider's text.
func (r Result) Message() string { return r.Code.Row().Message }

// AuthState returns the authState of a transaction that failed at the given time. It is
// only meaningful if [Result.Failure] returns true.
func (r Result) AuthState(at time.Time) ports.AuthState {
	return ports.AuthState{
		State: errcodes.State(r.Outcome), Message: r.Message(), Code: r.Code,
		ConnectorFailureCode: r.Raw.Code, ConnectorFailureMessage: r.Raw.Message, TransitionedAt: at,
	}
}

// String returns scheme, direction, outcome and code, without the raw code and message.
func (r Result) String() string {
	return string(r.Scheme) + " " + string(r.Direction) + " " + string(r.Outcome) + " " + string(r.Code)
}

// LogValue returns [Result.String].
func (r Result) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Config tunes a [Normaliser]. The zero value means the shipped tables without changes.
type Config struct {
	// Overrides are looked up before the shipped table of their scheme. They are not
	// used as the base of other schemes: a row for iso8583 does not apply to paystack.
	// They may also define new schemes.
	Overrides map[Scheme][]Row
	// Unmapped is called for each raw code that is in no table, so that coverage can be
	// monitored. It is called synchronously, and must be quick and safe for concurrent
	// use. Raw code and message may be personal data: do not use them as metric labels.
	Unmapped func(r Result)
}

// Normaliser translates raw codes into the codes of SPEC 7.5. It is safe for concurrent
// use. The zero value uses the shipped tables.
type Normaliser struct {
	overrides map[Scheme]*table
	unmapped  func(Result)
}

// New returns a normaliser. A nil config means no overrides. New returns
// [errcodes.Configuration] if [Lint] finds mistakes in the overrides.
func New(config *Config) (*Normaliser, error) {
	if config == nil {
		return &Normaliser{}, nil
	}
	n := &Normaliser{unmapped: config.Unmapped}
	for scheme, rows := range config.Overrides {
		if scheme == "" {
			return nil, errcodes.New(errcodes.Configuration, "Overrides has an entry without a scheme")
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

// Normalise returns the meaning of a raw answer. Every input has a result with an outcome
// and, for a failure, a code (I26). A code that is in no table is declined, or
// downstreamError if Input.State is StateError.
//
// Normalise returns [errcodes.InvalidRequest] for an unknown scheme, direction or state,
// and [errcodes.PayloadTooLarge] for a raw code or message longer than ports.MaxRaw. The
// result is valid then, too: it is the one for a code that is in no table.
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

// find looks up the input in the tables, in the order of precedence. Without a code it
// looks up the message.
func find(in *Input, own *table, load func() *table) (c *cell, by Match, version string) {
	if in.Code == "" {
		c, by, version = findCode(in, in.Message, own, load)
		if by == MatchCode || by == MatchNormalised {
			by = MatchMessage
		}
		return c, by, version
	}
	if c, by, version = findCode(in, in.Code, own, load); by != MatchNone {
		return c, by, version
	}
	integer, ok := withoutZeroFraction(in.Code)
	if !ok {
		return nil, MatchNone, ""
	}
	if c, by, version = findCode(in, integer, own, load); by == MatchCode {
		by = MatchNormalised
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
	if c, by = t.in(in.Direction).find(code, in); by != MatchNone {
		return c, by, t.version
	}
	return findElsewhere(in, code, t)
}

// findElsewhere looks up the code of another scheme that the scheme passes through, and
// then the families of the scheme.
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
	c, by = t.in(in.Direction).findFamily(code, in)
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
		return errcodes.New(errcodes.PayloadTooLarge, "A raw code or message has more than 64 KiB")
	case !known:
		return badField("scheme", fmt.Sprintf("is not known: %.64q", in.Scheme))
	case !in.Direction.Valid():
		return badField("direction", fmt.Sprintf("must be payin or payout, not %.32q", in.Direction))
	case in.State != "" && !in.State.Valid():
		return badField("state", fmt.Sprintf("must be failed or error, not %.32q", in.State))
	default:
		return nil
	}
}

func badField(name, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, name+" "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: name, Reason: reason}}})
}
