package httpcall

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// UserAgent is the User-Agent of all requests.
const UserAgent = "corridor"

const peer = "provider" // the name in errors

// Caller calls one provider. It is safe for concurrent use.
type Caller struct {
	base *url.URL
	cfg  Config
	// authorization is a func, so that no print of the caller shows a credential.
	authorization func() string
}

// New returns a caller of the provider at base, such as "https://api.example.com/v3",
// or at cfg.BaseURL if that is set. It returns [errcodes.Configuration] if the address
// is not https (http is allowed to this machine) or has a user, a query or a fragment,
// and if a value in cfg is invalid.
func New(base string, cfg *Config) (*Caller, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	address, err := baseOf(cmp.Or(c.BaseURL, base))
	if err != nil {
		return nil, err
	}
	return &Caller{base: address, cfg: c}, nil
}

// NewBearer is [New] for a caller that sends secret as a bearer token with each request
// that has no Authorization header. A secret that [Secret] rejects is
// [errcodes.Configuration]; the error contains name, not the secret.
func NewBearer(base, name, secret string, cfg *Config) (*Caller, error) {
	if err := Secret(name, secret); err != nil {
		return nil, err
	}
	c, err := New(base, cfg)
	if err != nil {
		return nil, err
	}
	c.authorization = func() string { return "Bearer " + secret }
	return c, nil
}

// Clock returns the Clock of the Config.
func (c *Caller) Clock() ports.Clock { return c.cfg.Clock }

// Request is one request.
type Request struct {
	Method string // "" means GET, or POST if there is a Body
	// Path is appended to the base, segment by segment, unescaped; an empty last
	// segment adds a slash.
	Path   []string
	Query  url.Values
	Header http.Header // Content-Type and User-Agent are overwritten; Accept is set if missing
	Body   any         // sent as JSON; nil means no body
}

// Do sends the request and returns the answer, whatever its status, except a redirect.
// Its errors:
//
//   - ctx's own error, if ctx is done;
//   - [errcodes.DeadlineExceeded]: the client's own timeout has passed;
//   - [errcodes.Unavailable]: the provider is unreachable, or broke off;
//   - [errcodes.MalformedAnswer]: the answer is a redirect or too long;
//   - [errcodes.Internal]: the body cannot be encoded as JSON, or the method or a
//     header is invalid.
func (c *Caller) Do(ctx context.Context, r Request) (Reply, error) {
	request, err := c.request(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	response, err := c.cfg.Client.Do(request)
	if err != nil {
		return Reply{}, Failure(ctx, err, peer)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return Reply{}, errcodes.New(errcodes.MalformedAnswer, "the provider answered with a redirect")
	}
	body, err := c.read(ctx, response.Body)
	if err != nil {
		return Reply{}, err
	}
	return Reply{
		Status: response.StatusCode,
		Body:   body,
		After:  RetryAfter(response.Header.Get("Retry-After"), c.cfg.Clock.Now(), MaxRetryAfter),
	}, nil
}

func (c *Caller) request(ctx context.Context, r Request) (*http.Request, error) {
	content, method, err := encode(r)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address(r), content)
	if err != nil {
		return nil, errcodes.New(errcodes.Internal, "the method or a header of the request is invalid")
	}
	if r.Header != nil {
		request.Header = r.Header.Clone()
	}
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json")
	}
	if c.authorization != nil && request.Header.Get("Authorization") == "" {
		request.Header.Set("Authorization", c.authorization())
	}
	request.Header.Set("User-Agent", UserAgent)
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

func encode(r Request) (content io.Reader, method string, err error) {
	method = r.Method
	if r.Body == nil {
		return http.NoBody, method, nil
	}
	if method == "" {
		method = http.MethodPost
	}
	body, err := json.Marshal(r.Body)
	if err != nil {
		return nil, "", errcodes.New(errcodes.Internal, "the body of the request cannot be encoded as JSON")
	}
	return bytes.NewReader(body), method, nil
}

func (c *Caller) address(r Request) string {
	segments := make([]string, 0, 1+len(r.Path))
	segments = append(segments, strings.TrimRight(c.base.EscapedPath(), "/"))
	for _, segment := range r.Path {
		segments = append(segments, segmentEscape(segment))
	}
	address := c.base.Scheme + "://" + c.base.Host + strings.Join(segments, "/")
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	return address
}

// segmentEscape escapes a segment of a path. Unlike url.PathEscape, it also escapes "."
// and "..", which would lead to another folder.
func segmentEscape(segment string) string {
	switch segment {
	case ".":
		return "%2E"
	case "..":
		return "%2E%2E"
	default:
		return url.PathEscape(segment)
	}
}

func (c *Caller) read(ctx context.Context, from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(c.cfg.MaxBody)+1))
	switch {
	case err != nil:
		return nil, Failure(ctx, err, peer)
	case len(body) > c.cfg.MaxBody:
		return nil, errcodes.New(errcodes.MalformedAnswer, "the answer is longer than "+strconv.Itoa(c.cfg.MaxBody)+" bytes")
	default:
		return body, nil
	}
}
