package wire

import (
	"encoding/json"

	"github.com/corridor-go/corridor/adapters/httpserver/internal/jsontext"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Report is the decoded body of a report's creation (SPEC 2.5), not checked yet.
type Report struct {
	MerchantID, Name   string
	Columns            []string
	StartDate, EndDate string
	Filters            []ports.Filter
}

// DecodeReport decodes the body of SPEC 4.5. It returns [errcodes.InvalidRequest] if
// the body is not a JSON object, a field has another type or is repeated, dateRange is
// missing, or a filter is neither a value, a list of values nor a range. Otherwise, a
// range with other bounds than from and to is [errcodes.Unprocessable], because
// ignoring them would silently widen the report. Other missing fields are empty; the
// domain checks what is required.
func DecodeReport(body []byte) (Report, error) {
	var r Report
	var columns, parameters, filters []byte
	err := decodeStrings(body, []field{
		{name: "merchantId", into: &r.MerchantID}, {name: "name", into: &r.Name},
		{name: "columns", raw: &columns}, {name: "parameters", raw: &parameters}, {name: "filters", raw: &filters},
	})
	if err != nil {
		return Report{}, err
	}
	if r.Columns, err = decodeTexts("columns", columns); err != nil {
		return Report{}, err
	}
	if err := decodeRange(parameters, &r); err != nil {
		return Report{}, err
	}
	r.Filters, err = decodeFilters(filters)
	return r, err
}

// decodeRange decodes {"dateRange":{"startDate":…,"endDate":…}}.
func decodeRange(parameters []byte, r *Report) error {
	if !isObject(parameters) {
		return badField("parameters", "must be an object with a dateRange")
	}
	var dates []byte
	if err := decodeFields("parameters", parameters, []field{{name: "dateRange", raw: &dates}}); err != nil {
		return err
	}
	if !isObject(dates) {
		return badField("dateRange", "must be an object with startDate and endDate")
	}
	return decodeFields("dateRange", dates, []field{{name: "startDate", into: &r.StartDate}, {name: "endDate", into: &r.EndDate}})
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isNone(value []byte) bool { return len(value) == 0 || value[0] == 'n' }

// decodeTexts decodes a list of strings, without nulls; it may be null or missing.
func decodeTexts(name string, value []byte) ([]string, error) {
	if isNone(value) {
		return nil, nil
	}
	if value[0] != '[' {
		return nil, badField(name, "must be a list of strings")
	}
	texts := []string{}
	for element := range elements(value) {
		if element[0] != '"' {
			return nil, badField(name, "must be a list of strings")
		}
		texts = append(texts, string(jsontext.Unquote(element)))
	}
	return texts, nil
}

// decodeFilters decodes the map of filters: a value means equal to, a list one of,
// {"from","to"} a range.
func decodeFilters(value []byte) ([]ports.Filter, error) {
	if isNone(value) {
		return nil, nil
	}
	if !isObject(value) {
		return nil, badField("filters", "must be an object")
	}
	var filters []ports.Filter
	var boundsErr error
	for column, by := range members(value) {
		name := string(column)
		f, err := decodeFilter(name, by)
		if err != nil {
			return nil, err
		}
		if boundsErr == nil && isObject(by) {
			boundsErr = checkBounds(name, by)
		}
		filters = append(filters, f)
	}
	return filters, boundsErr
}

// checkBounds rejects a range with other bounds than from and to.
func checkBounds(name string, by []byte) error {
	for bound := range members(by) {
		if string(bound) != "from" && string(bound) != "to" {
			reason := "on " + jsontext.Shown(name) + " must have no other bounds than from and to"
			return errcodes.New(errcodes.Unprocessable, "filters "+reason).
				WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: "filters", Reason: reason}}})
		}
	}
	return nil
}

func decodeFilter(name string, value []byte) (ports.Filter, error) {
	f := ports.Filter{Column: name}
	switch value[0] {
	case '{':
		err := decodeFields("filter", value, []field{
			{name: "from", into: &f.From, number: true, optional: true}, {name: "to", into: &f.To, number: true, optional: true},
		})
		if err != nil || f.From == "" && f.To == "" {
			return f, badFilter(name)
		}
	case '[':
		f.OneOf = []string{}
		for element := range elements(value) {
			text, ok := scalar(element)
			if !ok {
				return f, badFilter(name)
			}
			f.OneOf = append(f.OneOf, text)
		}
		if len(f.OneOf) == 0 {
			return f, badFilter(name)
		}
	default:
		text, ok := scalar(value)
		if !ok {
			return f, badFilter(name)
		}
		f.OneOf = []string{text}
	}
	return f, nil
}

func badFilter(name string) error {
	return badField("filters", "on "+jsontext.Shown(name)+" must be values, lists of values, or ranges with from and to")
}

// scalar returns the text of a string, a number or a boolean.
func scalar(value []byte) (string, bool) {
	switch value[0] {
	case '"':
		return string(jsontext.Unquote(value)), true
	case '{', '[', 'n':
		return "", false
	default:
		return string(value), true
	}
}

// AppendReportJob appends the report job of SPEC 2.4 to dst.
func AppendReportJob(dst []byte, r *ports.ReportJob) []byte {
	dst = appendField(dst, `{"id":`, r.ID)
	dst = appendField(dst, `,"status":`, string(r.Status))
	dst = appendField(dst, `,"name":`, r.Request.Name)
	dst = appendField(dst, `,"type":`, string(r.Kind))
	dst = appendTime(dst, `,"createdAt":"`, r.CreatedAt)
	dst = appendTime(dst, `,"updatedAt":"`, r.UpdatedAt)
	return append(dst, '}')
}

// AppendReport appends a transactions report to dst: the job, and once it has completed
// the same result as [AppendUnmatched].
func AppendReport(dst []byte, r *ports.ReportJob, rows []json.RawMessage, few bool, url string) []byte {
	dst = AppendReportJob(dst, r)
	return append(appendResult(dst[:len(dst)-1], r, rows, few, url), '}')
}

// AppendUnmatched appends the report of SPEC 2.6 to dst: exactly its fields.
// Only a completed report has generatedAt, downloadUrl and, if they are few, rows.
func AppendUnmatched(dst []byte, r *ports.ReportJob, rows []json.RawMessage, few bool, url string) []byte {
	dst = appendField(dst, `{"id":`, r.ID)
	dst = appendField(dst, `,"status":`, string(r.Status))
	return append(appendResult(dst, r, rows, few, url), '}')
}

func appendResult(dst []byte, r *ports.ReportJob, rows []json.RawMessage, few bool, url string) []byte {
	if r.Status != ports.ReportCompleted {
		return dst
	}
	dst = appendTime(dst, `,"generatedAt":"`, r.EndedAt)
	if few {
		dst = append(dst, `,"rows":[`...)
		for i, row := range rows {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, row...)
		}
		dst = append(dst, ']')
	}
	return appendOptional(dst, `,"downloadUrl":`, url)
}
