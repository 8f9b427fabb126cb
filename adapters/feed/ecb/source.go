package ecb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// fetch gives the bytes of the source.
type fetch func(ctx context.Context) ([]byte, error)

// open takes an https address, an http one of this machine, or a path, also with
// file: or file:// in front.
func open(source string, cfg Config) (fetch, error) {
	if path, ok := localPath(source); ok {
		if path == "" {
			return nil, errcodes.New(errcodes.Configuration, "the source is an address or a path")
		}
		return func(context.Context) ([]byte, error) { return readFile(path, cfg.MaxBody) }, nil
	}
	u, err := url.Parse(source)
	if err != nil || u.Host == "" {
		return nil, errcodes.New(errcodes.Configuration, "the source is no address")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, errcodes.New(errcodes.Configuration, "the source is an https address, or an http one of this machine")
	}
	return func(ctx context.Context) ([]byte, error) { return get(ctx, u, cfg) }, nil
}

// IsPath reports whether [New] takes source for the path of a file, not for an
// address.
func IsPath(source string) bool {
	_, ok := localPath(source)
	return ok
}

// localPath gives the path of a source that is a file.
func localPath(source string) (string, bool) {
	if rest, ok := strings.CutPrefix(source, "file:"); ok {
		return strings.TrimPrefix(rest, "//"), true
	}
	return source, !strings.Contains(source, "://")
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func get(ctx context.Context, u *url.URL, cfg Config) (body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/xml, text/xml")
	resp, err := cfg.Client.Do(req)
	if err != nil {
		return nil, anonymous(err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the source answers with status %d", resp.StatusCode)
	}
	return capped(resp.Body, cfg.MaxBody)
}

// anonymous strips the address from an error: it may carry a secret.
func anonymous(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// readFile reads a regular file. What is none, a pipe for example, might never
// end.
func readFile(path string, most int) (body []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return capped(file, most)
}

func capped(r io.Reader, most int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(body) > most {
		err = fmt.Errorf("larger than %d bytes", most)
	}
	return body, err
}
