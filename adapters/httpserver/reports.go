package httpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

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
	format, err := formatOf(r)
	if err != nil {
		x.fail(err)
		return
	}
	request := report.Request{
		MerchantID: body.MerchantID, Name: body.Name, Columns: body.Columns, StartDate: body.StartDate, EndDate: body.EndDate,
		Filters: body.Filters, Format: format,
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

// formatOf reads ?format=. What is misspelt or given twice is refused: to take the
// default instead would make another file than the one meant.
func formatOf(r *http.Request) (string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // its text quotes the query
		return "", errcodes.New(errcodes.InvalidRequest, "The query is malformed")
	}
	formats, given := query["format"]
	if given && (len(formats) > 1 || formats[0] == "") {
		return "", errcodes.New(errcodes.InvalidRequest, "format must be given once, and not be empty")
	}
	return query.Get("format"), nil
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
