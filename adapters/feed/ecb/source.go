package ecb

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/localfile"
)

type fetch func(ctx context.Context) ([]byte, error)

// open returns the fetch of an https address, an http address of this machine, or a
// path, also with the prefix file: or file://.
func open(source string, cfg Config) (fetch, error) {
	if path, ok := localPath(source); ok {
		if path == "" {
			return nil, errcodes.New(errcodes.Configuration, "source must be an address or a path")
		}
		return func(context.Context) ([]byte, error) { return localfile.Read(path, cfg.MaxBody) }, nil
	}
	address, query, _ := strings.Cut(source, "?")
	values, err := url.ParseQuery(query)
	if err != nil { // its text quotes the query
		return nil, errcodes.New(errcodes.Configuration, "the query in the source's address is malformed")
	}
	caller, err := httpcall.New(address, &httpcall.Config{Client: cfg.Client, Clock: cfg.Clock, MaxBody: cfg.MaxBody})
	if err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, "the source's address cannot be used", err)
	}
	request := httpcall.Request{Query: values, Header: http.Header{"Accept": {"application/xml, text/xml"}}}
	if strings.HasSuffix(address, "/") {
		request.Path = []string{""}
	}
	return func(ctx context.Context) ([]byte, error) {
		reply, err := caller.Do(ctx, request)
		if err == nil && reply.Status != http.StatusOK {
			err = fmt.Errorf("the source answers with status %d, want 200", reply.Status)
		}
		return reply.Body, err
	}, nil
}

// IsPath reports whether source is the path of a file for [New], not an address.
func IsPath(source string) bool {
	_, ok := localPath(source)
	return ok
}

// localPath returns the path of a source that is a file.
func localPath(source string) (string, bool) {
	if rest, ok := strings.CutPrefix(source, "file:"); ok {
		return strings.TrimPrefix(rest, "//"), true
	}
	return source, !strings.Contains(source, "://")
}
