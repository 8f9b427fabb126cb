package connectortest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// scenario is one file: a lookup, the exchanges between connector and provider,
// and the expected result.
type scenario struct {
	Title     string         `json:"title"`
	Source    string         `json:"source"`
	Read      string         `json:"read"`
	Assumed   []string       `json:"assumed"`
	Lookup    scenarioLookup `json:"lookup"`
	Exchanges []exchange     `json:"exchanges"`
	Expect    expectation    `json:"expect"`

	name string // of the file, without .json
}

type scenarioLookup struct {
	Country    string            `json:"country"`
	Type       ports.AccountType `json:"type"`
	Identifier string            `json:"identifier"`
	BankCode   string            `json:"bankCode"`
	Branch     string            `json:"branch"`
	HolderName string            `json:"holderName"`
	Identity   struct {
		Kind     ports.AccountKind  `json:"kind"`
		Document ports.DocumentType `json:"document"`
		Number   string             `json:"number"`
	} `json:"identity"`
}

type exchange struct {
	Request  wantRequest  `json:"request"`
	Response sentResponse `json:"response"`
}

type wantRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Form    map[string]string `json:"form"`
	Text    string            `json:"text"`
}

type sentResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Text    string            `json:"text"`
	File    string            `json:"file"`
	Latin1  bool              `json:"latin1"`

	bytes []byte // of the body as sent
}

type expectation struct {
	Kind       ports.Outcome `json:"kind"`
	HolderName string        `json:"holderName"`
	Code       string        `json:"code"`
	Message    string        `json:"message"`
	After      string        `json:"after"`
	Error      errcodes.Code `json:"error"`
}

// readScenarios reads all files of the root directory in the order of their
// names.
func readScenarios(files fs.FS) ([]scenario, error) {
	if files == nil {
		return nil, errors.New("the harness has no Scenarios")
	}
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	all := make([]scenario, 0, len(names))
	for _, name := range names {
		s, err := readScenario(files, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, errors.New("no *.json file")
	}
	return all, nil
}

func readScenario(files fs.FS, name string) (scenario, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return scenario{}, err
	}
	s, err := parseScenario(data)
	if err != nil {
		return scenario{}, err
	}
	s.name = strings.TrimSuffix(path.Base(name), ".json")
	for i := range s.Exchanges {
		r := &s.Exchanges[i].Response
		if r.File == "" {
			continue
		}
		if r.bytes, err = fs.ReadFile(files, r.File); err != nil {
			return scenario{}, err
		}
	}
	return s, nil
}

func parseScenario(data []byte) (scenario, error) {
	var s scenario
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return scenario{}, misread(err, data)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return scenario{}, errors.New("trailing data after the scenario")
	}
	return s, s.prepare()
}

func (s *scenario) prepare() error {
	if err := s.provenance(); err != nil {
		return err
	}
	if _, err := s.Expect.answer(); err != nil {
		return err
	}
	for i := range s.Exchanges {
		if err := s.Exchanges[i].Request.check(); err != nil {
			return fmt.Errorf("exchange %d: %w", i, err)
		}
		if err := s.Exchanges[i].Response.prepare(); err != nil {
			return fmt.Errorf("exchange %d: %w", i, err)
		}
	}
	return nil
}

func (w wantRequest) check() error {
	switch {
	case w.Method == "" || !strings.HasPrefix(w.Path, "/"):
		return errors.New("a request must have a method and a path that begins with a slash")
	case severalOf(w.Body != nil, w.Form != nil, w.Text != ""):
		return errors.New("a request must have at most one of body, form and text")
	default:
		return nil
	}
}

func severalOf(has ...bool) bool {
	first := slices.Index(has, true)
	return first >= 0 && slices.Contains(has[first+1:], true)
}

func (r *sentResponse) prepare() error {
	switch {
	case r.Status < 200 || r.Status > 599:
		return errors.New("the status of a response must be from 200 to 599")
	case severalOf(r.Body != nil, r.Text != "", r.File != ""):
		return errors.New("a response must have at most one of body, text and file")
	case r.Latin1 && r.Text == "":
		return errors.New("latin1 requires text")
	}
	r.bytes = slices.Concat(r.Body, []byte(r.Text))
	if r.Latin1 {
		var err error
		r.bytes, err = latin1(r.Text)
		return err
	}
	return nil
}

func latin1(text string) ([]byte, error) {
	const last = 0xff
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > last {
			return nil, fmt.Errorf("%q cannot be encoded in Latin-1", r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

func (s *scenario) lookup() ports.AccountLookup {
	l := s.Lookup
	return ports.AccountLookup{
		Account: ports.Account{
			Market:     ports.Market{Country: l.Country, Type: l.Type},
			Identifier: l.Identifier, BankCode: l.BankCode, Branch: l.Branch,
		},
		HolderName: l.HolderName,
		Identity:   ports.Identity{Kind: l.Identity.Kind, Document: l.Identity.Document, Number: l.Identity.Number},
	}
}

// nameOf and market return the names of a scenario's cases.
func nameOf(s scenario) string { return s.name }
func market(s scenario) string { return s.lookup().Market.String() }

// scenarioErrors are the codes of errors that a provider can cause. The checks of
// deadlines cover those of contexts.
var scenarioErrors = []errcodes.Code{errcodes.Configuration, errcodes.Unavailable, errcodes.MalformedAnswer}

// answer returns the answer that the connector must return, unless an error is expected.
func (e expectation) answer() (ports.Answer, error) {
	a := ports.Answer{Kind: e.Kind, HolderName: e.HolderName, Code: e.Code, Message: e.Message}
	if e.Error != "" {
		if (e != expectation{Error: e.Error}) {
			return a, errors.New("expect has both an answer and an error")
		}
		if !slices.Contains(scenarioErrors, e.Error) {
			return a, fmt.Errorf("expect.error must be one of %q", scenarioErrors)
		}
		return ports.Answer{}, nil
	}
	if e.After != "" {
		var err error
		if a.After, err = time.ParseDuration(e.After); err != nil {
			return a, errors.New("expect.after must be a duration such as 30s")
		}
	}
	return a, a.Check()
}

func (s *scenario) provenance() error {
	if s.Title == "" {
		return errors.New("title is missing")
	}
	if page, err := url.Parse(s.Source); err != nil || page.Scheme != "https" || page.Host == "" {
		return errors.New("source must be the https address of the provider's page")
	}
	day, err := time.Parse(time.DateOnly, s.Read)
	if err != nil {
		return errors.New("read must be a day, YYYY-MM-DD")
	}
	const web = 1993 // the year of the first pages
	if day.Year() < web && !s.assumed() {
		return errors.New(`read must be the day on which the page was read; an invented scenario has "assumed": ["all"]`)
	}
	return nil
}

func (s *scenario) assumed() bool { return slices.Contains(s.Assumed, "all") }

// assumptions reports how many scenarios are not, or not completely, documented.
func assumptions(scenarios []scenario) string {
	whole, partly := 0, 0
	for i := range scenarios {
		switch {
		case scenarios[i].assumed():
			whole++
		case len(scenarios[i].Assumed) > 0:
			partly++
		}
	}
	return fmt.Sprintf("%d of %d scenarios are assumed, %d more in part", whole, len(scenarios), partly)
}

// misread adds the line to an error of package json.
func misread(err error, data []byte) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s must not be of type %s", line(data, wrong.Offset), cmp.Or(wrong.Field, "a scenario"), wrong.Value)
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", line(data, wrong.Offset), err)
	}
	return err
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
