package httpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
)

// bufferSize is enough for usual bodies and answers.
const bufferSize = 1 << 10

var buffers sync.Pool

func getBuffer() *bytes.Buffer {
	if b, ok := buffers.Get().(*bytes.Buffer); ok {
		return b
	}
	return bytes.NewBuffer(make([]byte, 0, bufferSize))
}

// putBuffer returns a buffer to the pool, unless a body has made it large. It clears
// the bytes, which may contain a secret.
func putBuffer(b *bytes.Buffer) {
	if b.Cap() > 16*bufferSize {
		return
	}
	b.Reset()
	clear(b.AvailableBuffer()[:b.Cap()])
	buffers.Put(b)
}

// emptied returns the empty buffer for an answer, after the request was read.
func emptied(b *bytes.Buffer) []byte {
	b.Reset()
	return b.AvailableBuffer()
}

// readJSON reads the body into buf and charges its bytes to the request. A form, and a
// body that breaks off, are [errcodes.InvalidRequest]; a body above the route's limit is
// [errcodes.PayloadTooLarge]; if the budget of all requests is full, it returns errBusy.
func (x *exchange) readJSON(r *http.Request, buf *bytes.Buffer) error {
	if isForm(r.Header["Content-Type"]) {
		return errcodes.New(errcodes.InvalidRequest, "The body must be JSON, not a form; send Content-Type: application/json")
	}
	return copyBody(buf, x.charged(r), r.ContentLength, x.maxBody)
}

func copyBody(to io.Writer, body io.Reader, length, most int64) error {
	if length > most {
		return errcodes.New(errcodes.PayloadTooLarge, "")
	}
	n, err := io.Copy(to, io.LimitReader(body, most+1))
	switch {
	case n > most:
		return errcodes.New(errcodes.PayloadTooLarge, "")
	case errors.Is(err, errBusy):
		return errBusy
	case err != nil:
		return errcodes.Wrap(errcodes.InvalidRequest, "The body could not be read", err)
	}
	return nil
}

// decode reads the body into buf, and decodes it with read.
func decode[T any](x *exchange, r *http.Request, buf *bytes.Buffer, read func(body []byte) (T, error)) (body T, err error) {
	if err = x.readJSON(r, buf); err == nil {
		body, err = read(buf.Bytes())
	}
	return body, err
}

// ignoreBody discards the body of a request that needs none, up to the limit on its
// size.
func ignoreBody(r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	return copyBody(io.Discard, r.Body, r.ContentLength, MaxBody)
}

// isForm reports whether one of the Content-Type headers is an HTML form's. All else
// counts as JSON, also a missing header.
func isForm(headers []string) bool {
	for _, h := range headers {
		media, _, _ := strings.Cut(h, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		if media == "application/x-www-form-urlencoded" || strings.HasPrefix(media, "multipart/") {
			return true
		}
	}
	return false
}
