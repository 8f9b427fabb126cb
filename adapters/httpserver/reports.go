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

// createReport returns an endpoint that creates a report of one kind.
func createReport(create func(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)) endpoint {
	return func(x *exchange, r *http.Request) error {
		buf := getBuffer()
		defer putBuffer(buf)
		body, err := decode(x, r, buf, wire.DecodeReport)
		if err != nil {
			return err
		}
		format, err := formatOf(r)
		if err != nil {
			return err
		}
		request := report.Request{
			MerchantID: body.MerchantID, Name: body.Name, Columns: body.Columns, StartDate: body.StartDate, EndDate: body.EndDate,
			Filters: body.Filters, Format: format,
		}
		if request.MerchantID != "" && !x.client.MayName(request.MerchantID) {
			return errcodes.New(errcodes.Forbidden, "The client may not name this merchant")
		}
		job, err := create(x.ctx, x.client.ID, request)
		if err != nil {
			return err
		}
		x.json(http.StatusCreated, wire.AppendReportJob(emptied(buf), &job))
		return nil
	}
}

// formatOf returns the query's format. A misspelled or repeated parameter is an error,
// since the default would make another file than the client wants.
func formatOf(r *http.Request) (string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // its text quotes the query
		return "", errcodes.New(errcodes.InvalidRequest, "The query is malformed")
	}
	formats, given := query["format"]
	if given && (len(formats) > 1 || formats[0] == "") {
		return "", errcodes.New(errcodes.InvalidRequest, "format must appear once, and not be empty")
	}
	return query.Get("format"), nil
}

// getReport returns an endpoint that shows a report of one kind.
func (s *server) getReport(kind ports.ReportKind, show func(dst []byte, r *ports.ReportJob, rows []json.RawMessage, few bool, url string) []byte) endpoint {
	return func(x *exchange, r *http.Request) error {
		if err := ignoreBody(r); err != nil {
			return err
		}
		job, err := s.services.Reports.Get(x.ctx, x.client.ID, r.PathValue("id"))
		if err == nil && job.Kind != kind {
			err = errcodes.New(errcodes.NotFound, "No such report")
		}
		if err != nil {
			return err
		}
		rows, few, url, err := s.result(x, &job)
		if err != nil {
			return err
		}
		buf := getBuffer()
		defer putBuffer(buf)
		x.json(http.StatusOK, show(emptied(buf), &job, rows, few, url))
		return nil
	}
}

// result returns the result of a completed report.
func (s *server) result(x *exchange, job *ports.ReportJob) (rows []json.RawMessage, few bool, url string, err error) {
	if job.Status != ports.ReportCompleted {
		return nil, false, "", nil
	}
	rows, few, err = s.services.Reports.Rows(x.ctx, job.Owner, job.ID)
	if err != nil {
		return nil, false, "", err
	}
	token, _, err := s.services.Reports.LinkToken(x.ctx, job.Owner, job.ID)
	if err != nil {
		return nil, false, "", err
	}
	return rows, few, s.cfg.PublicURL + filesPath + token, nil
}
