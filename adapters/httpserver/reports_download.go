package httpserver

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

const filesPath = "/v1/reports/files/"

// downloadReport serves a file to anyone with its link, also in ranges, as long as the
// client of the link is active. Instead of a time for the whole answer, it has a limit
// on pauses.
func (s *server) downloadReport(x *exchange, r *http.Request) error {
	if err := ignoreBody(r); err != nil {
		return err
	}
	file, err := s.services.Reports.OpenLink(ports.WithActor(r.Context(), ports.Actor{Trace: x.trace}), r.PathValue("token"))
	if err != nil {
		return err
	}
	defer func() {
		if err := file.Close(); err != nil {
			x.err = err
		}
	}()
	err = s.auth.Active(r.Context(), file.Owner, file.LinkedAt)
	if errcodes.Of(err) == errcodes.Unauthorized {
		err = errcodes.Wrap(errcodes.NotFound, report.NoDownload, err)
	}
	if err != nil {
		return err
	}
	x.admitted(r) // a valid link is a token for its file
	header := x.Header()
	header.Set("Content-Type", file.ContentType)
	header.Set("Content-Disposition", `attachment; filename="`+file.Name+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-store")
	header.Set("Etag", `"`+file.SHA256+`"`)
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Several ranges would be read in a goroutine that outlives this function and
		// the file. A server may ignore them (RFC 9110 section 14.2).
		r.Header.Del("Range")
	}
	http.ServeContent(&patient{exchange: x, connection: http.NewResponseController(x)}, r, "", file.ModTime(), watched{file, x})
	return nil
}

// watched records the error of a file: http.ServeContent would ignore it or print it.
type watched struct {
	report.File

	x *exchange
}

func (w watched) Read(b []byte) (int, error) {
	n, err := w.File.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.x.err = err
	}
	return n, err
}

func (w watched) Seek(offset int64, whence int) (int64, error) {
	n, err := w.File.Seek(offset, whence)
	if err != nil {
		w.x.err = err
	}
	return n, err
}

// stall is the longest pause of a download.
const stall = 30 * time.Second

// patient extends the write deadline while bytes flow, and answers http.ServeContent's
// errors like every other error (I29).
type patient struct {
	*exchange

	connection *http.ResponseController
	rejected   bool
}

// WriteHeader starts the answer with the file, or writes the whole answer of an error.
func (p *patient) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		p.exchange.WriteHeader(status)
		return
	}
	p.rejected = true
	for _, name := range []string{"Content-Disposition", "Etag", "Last-Modified"} { // headers of the file
		p.Header().Del(name)
	}
	p.Header().Set("Cache-Control", "private, no-store")
	switch {
	case p.err != nil:
		p.fail(p.err) // whatever status http.ServeContent chose
	case status == http.StatusPreconditionFailed:
		p.reject(status, "The file has changed")
	case status == http.StatusRequestedRangeNotSatisfiable:
		p.reject(status, "The file has no such range")
	default:
		p.fail(errcodes.New(errcodes.Internal, ""))
	}
}

// reject answers with a status of HTTP that has no code.
func (p *patient) reject(status int, message string) {
	body, err := json.Marshal(errcodes.Flat{Message: message, Error: http.StatusText(status), StatusCode: status})
	if err != nil {
		p.fail(err)
		return
	}
	p.json(status, body)
}

func (p *patient) Write(b []byte) (int, error) {
	if p.rejected { // the text of http.ServeContent
		return len(b), nil
	}
	err := p.charge.unless(func() {
		// Some writers have no deadlines; that is not an error. Deadlines use the
		// machine's clock.
		_ = p.connection.SetWriteDeadline(ports.SystemClock().Now().Add(stall))
	})
	if err != nil {
		return 0, err
	}
	return p.exchange.Write(b)
}
