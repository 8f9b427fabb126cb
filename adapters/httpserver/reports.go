package httpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wire"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

const filesPath = "/v1/reports/files/"

// maker asks for a report of one kind.
type maker func(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)

func (s *server) createTransactionsReport(x *exchange, r *http.Request) {
	s.createReport(x, r, s.services.Reports.CreateTransactions)
}

func (s *server) createUnmatchedReport(x *exchange, r *http.Request) {
	s.createReport(x, r, s.services.Reports.CreateUnmatched)
}

func (s *server) createReport(x *exchange, r *http.Request, create maker) {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readJSON(r, buf); err != nil {
		x.fail(err)
		return
	}
	body, err := wire.DecodeReport(buf.Bytes())
	if err != nil {
		x.fail(err)
		return
	}
	request := report.Request{
		MerchantID: body.MerchantID, Name: body.Name, Columns: body.Columns, StartDate: body.StartDate, EndDate: body.EndDate,
		Filters: body.Filters, Format: r.URL.Query().Get("format"),
	}
	if request.MerchantID != "" && !x.client.MayName(request.MerchantID) {
		x.fail(errcodes.New(errcodes.Forbidden, "The client may not name this merchant"))
		return
	}
	job, err := create(x.ctx(), x.client.ID, request)
	if err != nil {
		x.fail(err)
		return
	}
	x.json(http.StatusCreated, wire.AppendReportJob(emptied(buf), &job))
}

// shape shows a report of one kind.
type shape func(dst []byte, r *ports.ReportJob, rows [][]byte, few bool, url string) []byte

func (s *server) getTransactionsReport(x *exchange, r *http.Request) {
	s.getReport(x, r, ports.ReportTransactions, wire.AppendReport)
}

func (s *server) getUnmatchedReport(x *exchange, r *http.Request) {
	s.getReport(x, r, ports.ReportUnmatched, wire.AppendUnmatched)
}

func (s *server) getReport(x *exchange, r *http.Request, kind ports.ReportKind, show shape) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	job, err := s.services.Reports.Get(x.ctx(), x.client.ID, r.PathValue("id"))
	if err == nil && job.Kind != kind {
		err = errcodes.New(errcodes.NotFound, "No such report")
	}
	if err != nil {
		x.fail(err)
		return
	}
	rows, few, url, err := s.result(x, &job)
	if err != nil {
		x.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	x.json(http.StatusOK, show(emptied(buf), &job, rows, few, url))
}

// result gives what a completed report has to show.
func (s *server) result(x *exchange, job *ports.ReportJob) (rows [][]byte, few bool, url string, err error) {
	if job.Status != ports.ReportCompleted {
		return nil, false, "", nil
	}
	lines, few, err := s.services.Reports.Rows(x.ctx(), job.Owner, job.ID)
	if err != nil {
		return nil, false, "", err
	}
	link, err := s.services.Reports.DownloadURL(x.ctx(), job.Owner, job.ID)
	if err != nil {
		return nil, false, "", err
	}
	return bytesOf(lines), few, s.cfg.PublicURL + filesPath + link.Token, nil
}

func bytesOf(lines []json.RawMessage) [][]byte {
	list := make([][]byte, len(lines))
	for i := range lines {
		list[i] = lines[i]
	}
	return list
}

// downloadReport serves a file to whoever has its link, in ranges too. It may
// take longer than other answers, so that its limit is on standing still.
func (s *server) downloadReport(x *exchange, r *http.Request) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	file, err := s.services.Reports.OpenLink(r.Context(), r.PathValue("token"))
	if err != nil {
		x.fail(err)
		return
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
	http.ServeContent(&patient{x, http.NewResponseController(x)}, r, "", file.ModTime(), file)
}

// stall is how long a download may stand still.
const stall = 30 * time.Second

// patient puts off the end of the answer's time as long as bytes flow.
type patient struct {
	*exchange
	connection *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	// A writer without deadlines has no limit to put off. The deadline is the
	// machine's.
	_ = p.connection.SetWriteDeadline(ports.SystemClock().Now().Add(stall))
	return p.exchange.Write(b)
}
