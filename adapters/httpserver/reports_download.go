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

// downloadReport serves a file to whoever has its link, in ranges too. It may
// take longer than other answers, so that its limit is on standing still.
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
	header := x.Header()
	header.Set("Content-Type", file.ContentType)
	header.Set("Content-Disposition", `attachment; filename="`+file.Name+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-store")
	header.Set("Etag", `"`+file.SHA256+`"`)
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Several ranges would be read in a goroutine that outlives this function
		// and the file. They may be passed over (RFC 9110 section 14.2).
		r.Header.Del("Range")
	}
	http.ServeContent(&patient{exchange: x, connection: http.NewResponseController(x)}, r, "", file.ModTime(), watched{file, x})
	return nil
}

// watched keeps why a file cannot be read: http.ServeContent would pass it over,
// or print it.
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

// stall is how long a download may stand still.
const stall = 30 * time.Second

// patient puts off the end of the answer's time as long as bytes flow. What
// http.ServeContent refuses shows as every other error (I29).
type patient struct {
	*exchange

	connection *http.ResponseController
	refused    bool
}

// WriteHeader begins the file's answer, or makes the whole of a refusal.
func (p *patient) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		p.exchange.WriteHeader(status)
		return
	}
	p.refused = true
	for _, name := range []string{"Content-Disposition", "Etag", "Last-Modified"} { // which are the file's
		p.Header().Del(name)
	}
	p.Header().Set("Cache-Control", "private, no-store")
	switch {
	case p.err != nil:
		p.fail(p.err) // whatever it was taken for
	case status == http.StatusPreconditionFailed:
		p.refuse(status, "The file is another than the one asked for")
	case status == http.StatusRequestedRangeNotSatisfiable:
		p.refuse(status, "The file has no such range")
	default:
		p.fail(errcodes.New(errcodes.Internal, ""))
	}
}

// refuse answers with a status that is HTTP's own and has no code.
func (p *patient) refuse(status int, message string) {
	body, err := json.Marshal(errcodes.Flat{Message: message, Error: http.StatusText(status), StatusCode: status})
	if err != nil {
		p.fail(err)
		return
	}
	p.json(status, body)
}

func (p *patient) Write(b []byte) (int, error) {
	if p.refused { // http.ServeContent's own words
		return len(b), nil
	}
	// A writer without deadlines has no limit to put off. The deadline is the
	// machine's.
	_ = p.connection.SetWriteDeadline(ports.SystemClock().Now().Add(stall))
	return p.exchange.Write(b)
}
