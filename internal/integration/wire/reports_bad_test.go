package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each field is missing, of the wrong type, empty or out of bounds (SPEC 2.5).
func TestBadReportRequests(t *testing.T) { at(t, badReportRequests, shared) }

func badReportRequests(t *testing.T, p place) {
	a := reports(t, p, 1)
	change := func(old, with string) string {
		require.Contains(t, reportBody, old)
		return strings.Replace(reportBody, old, with, 1)
	}
	const (
		merchant = `"` + betas + `"`
		name     = `"Novémber"`
		columns  = `["status","createdAt"]`
		starts   = `"startDate":"2026-11-20"`
		ends     = `"endDate":"2026-11-20"`
		filters  = `"filters":null`
	)
	from := func(day string) string { return change(starts, `"startDate":`+day) }
	to := func(day string) string { return change(ends, `"endDate":`+day) }
	filtered := func(by string) string { return change(filters, `"filters":`+by) }
	many := `["` + strings.Repeat(`status","`, 9_999) + `status"]`
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"nothing":          {"", 400},
		"a list":           {"[]", 400},
		"null":             {"null", 400},
		"two values":       {reportBody + "{}", 400},
		"half a body":      {reportBody[:len(reportBody)/2], 400},
		"a field twice":    {change(`"name"`, `"name":"x","name"`), 400},
		"2 MiB":            {huge, 413},
		"an unknown field": {change(`"name"`, `"x":{"y":[1]},"name"`), 201},
		"invalid UTF-8":    {change("Nov", "\xff"), 400},

		"no merchant":             {change(`"merchantId"`, `"x"`), 400},
		"a merchant of null":      {change(merchant, `null`), 400},
		"a merchant of a number":  {change(merchant, `7`), 400},
		"an empty merchant":       {change(merchant, `""`), 400},
		"a merchant of 129 bytes": {change(merchant, `"`+strings.Repeat("m", 129)+`"`), 400},
		"a merchant with a NUL":   {change(merchant, `"m\u0000"`), 400},
		"a merchant of 130 bytes": {change(merchant, `"`+strings.Repeat("é", 65)+`"`), 400},
		"a merchant of 128 bytes": {change(merchant, `"`+strings.Repeat("é", 64)+`"`), 201},
		"a long merchant":         {change(merchant, `"`+strings.Repeat("m", 128)+`"`), 201},

		"no name":                  {change(`"name"`, `"x"`), 400},
		"a name of null":           {change(name, `null`), 400},
		"a name of a number":       {change(name, `7`), 400},
		"an empty name":            {change(name, `""`), 400},
		"a name of blanks":         {change(name, `"  "`), 400},
		"a name of 201 characters": {change(name, `"`+strings.Repeat("é", 201)+`"`), 400},
		"a long name":              {change(name, `"`+strings.Repeat("é", 200)+`"`), 201},
		"a name of two lines":      {change(name, `"a\nb"`), 400},
		"a name with a control":    {change(name, `"a\u007fb"`), 400},

		"columns missing":        {change(`"columns"`, `"x"`), 400},
		"a text for columns":     {change(columns, `"status"`), 400},
		"an object for columns":  {change(columns, `{"status":1}`), 400},
		"a number among columns": {change(`"createdAt"]`, `1]`), 400},
		"null among columns":     {change(`"createdAt"]`, `null]`), 400},
		"no columns":             {change(columns, `[]`), 400},
		"null for columns":       {change(columns, `null`), 400},
		"an unknown column":      {change(`"createdAt"`, `"createdat"`), 422},
		"an empty column":        {change(`"createdAt"`, `""`), 422},
		"a column twice":         {change(`"createdAt"`, `"status"`), 422},
		"10,000 columns":         {change(columns, many), 422},
		"columns 100,000 deep":   {change(columns, deep), 400},

		"no parameters":         {change(`"parameters"`, `"x"`), 400},
		"parameters of null":    {change(`{"dateRange":{"startDate":"2026-11-20","endDate":"2026-11-20"}}`, `null`), 400},
		"parameters of a list":  {change(`{"dateRange":{"startDate":"2026-11-20","endDate":"2026-11-20"}}`, `[]`), 400},
		"no range":              {change(`"dateRange"`, `"x"`), 400},
		"a range of a text":     {change(`{"startDate":"2026-11-20","endDate":"2026-11-20"}`, `"2026-11-20"`), 400},
		"no first day":          {change(`"startDate"`, `"x"`), 400},
		"no last day":           {change(`"endDate"`, `"x"`), 400},
		"a first day of null":   {from(`null`), 400},
		"a first day of number": {from(`20261120`), 400},
		"an empty last day":     {to(`""`), 400},
		"30 February":           {to(`"2026-02-30"`), 400},
		"29 February, no leap":  {from(`"2026-02-29"`), 400},
		"a day with a time":     {from(`"2026-11-20T00:00:00Z"`), 400},
		"a day without zeros":   {from(`"2026-11-2"`), 400},
		"a day with blanks":     {from(`" 2026-11-20"`), 400},
		"a year of 5 digits":    {to(`"10000-01-01"`), 400},
		"the year 0000":         {from(`"0000-01-01"`), 422},
		"the year 0001":         {from(`"0001-01-01"`), 422},
		"the year 9999":         {to(`"9999-12-31"`), 422},
		"reversed":              {to(`"2026-11-19"`), 422},
		"367 days":              {from(`"2025-11-19"`), 422},
		"366 days":              {from(`"2025-11-20"`), 201},

		"filters as a list":          {filtered(`[]`), 400},
		"filters as a text":          {filtered(`"status"`), 400},
		"no filters":                 {filtered(`{}`), 201},
		"an unknown filter":          {filtered(`{"x":1}`), 422},
		"a filter twice":             {filtered(`{"status":"F","status":"G"}`), 422},
		"a filter of an object":      {filtered(`{"status":{"like":"F"}}`), 400},
		"a filter of objects":        {filtered(`{"status":[{}]}`), 400},
		"a filter of null":           {filtered(`{"status":null}`), 400},
		"a filter of nulls":          {filtered(`{"status":[null]}`), 400},
		"a filter of nothing":        {filtered(`{"status":[]}`), 400},
		"a filter of lists":          {filtered(`{"status":[["F"]]}`), 400},
		"a range within a range":     {filtered(`{"amount":{"from":{"from":1}}}`), 400},
		"a range of a list":          {filtered(`{"amount":{"from":[1]}}`), 400},
		"a range of texts":           {filtered(`{"status":{"from":"A"}}`), 422},
		"a text for an amount":       {filtered(`{"amount":{"from":"ten"}}`), 422},
		"an amount of exponents":     {filtered(`{"amount":1e999999999}`), 422},
		"a boolean amount":           {filtered(`{"amount":true}`), 422},
		"a time of 30 February":      {filtered(`{"createdAt":{"from":"2026-02-30"}}`), 422},
		"1,001 values":               {filtered(`{"status":["F"` + strings.Repeat(`,"F"`, 1000) + `]}`), 422},
		"filters 100,000 deep":       {filtered(`{"status":` + deep + `}`), 400},
		"a range from a number":      {filtered(`{"amount":{"from":10}}`), 201},
		"an unknown bound":           {filtered(`{"amount":{"from":"100","too":"200"}}`), 422},
		"an unknown bound of null":   {filtered(`{"amount":{"to":1,"From":null}}`), 422},
		"only an unknown bound":      {filtered(`{"amount":{"too":1}}`), 400},
		"an inverted range":          {filtered(`{"amount":{"from":200,"to":"100"}}`), 422},
		"an inverted range of times": {filtered(`{"createdAt":{"from":"2026-11-21","to":"2026-11-20"}}`), 422},
		"an unknown value":           {filtered(`{"status":"LOST"}`), 201},
		"values, and an amount too":  {filtered(`{"status":["F","G"],"amount":10.5}`), 201},
	} {
		t.Run(name, func(t *testing.T) {
			w := a.do(post("/v1/reports/transactions", "tok-acme", c.body))
			assert.Equal(t, c.status, w.Code, w.Body)
		})
	}
}

// The error names the filter.
func TestErrorsNameTheWrongFilter(t *testing.T) { at(t, errorsNameTheWrongFilter, shared) }

func errorsNameTheWrongFilter(t *testing.T, p place) {
	a := reports(t, p, 1)
	for filters, want := range map[string]string{
		`{"status":"F","amount":{"from":"100","too":"200"}}`: `filters on "amount" must have no other bounds than from and to`,
		`{"status":"F","amount":{"from":"200","to":"100"}}`:  `filters on "amount" must not end before they start`,
		`{"stat\nus":"4111"}`: `filters must be on columns of the report, each once: "stat?us" is not among ` +
			`transactionId, merchantReference, status, direction, currency, method, connector, code, amount, createdAt`,
		`{"status":"4111","amount":1,"status":2}`: `filters must be on columns of the report, each once: "status" is repeated`,
		`{"status":{"like":"F"},"amount":1}`:      `filters on "status" must be values, lists of values, or ranges with from and to`,
	} {
		w := a.do(post("/v1/reports/transactions", "tok-acme", strings.Replace(reportBody, `"filters":null`, `"filters":`+filters, 1)))
		var body struct{ Message string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
		assert.Equal(t, want, body.Message)
	}
}

// An unknown format is not replaced by csv.
func TestUnknownFormatsAreRejected(t *testing.T) { at(t, unknownFormatsAreRejected, shared) }

func unknownFormatsAreRejected(t *testing.T, p place) {
	a := reports(t, p, 1)
	for query, status := range map[string]int{
		"": 201, "?": 201, "?format=csv": 201, "?%66ormat=cs%76": 201, "?x=1&format=csv&y": 201,
		"?format=pdf": 400, "?format=CSV": 400, "?format=csv%00": 400, "?format=csv,xlsx": 400, "?format=": 400, "?format": 400,
		"?format=%zz": 400, "?format=csv&x=%zz": 400, "?%zz": 400, "?format=csv;x=1": 400,
		"?format=csv&format=csv": 400, "?format=csv&format=pdf": 400, "?format=csv&%66ormat=pdf": 400,
	} {
		w := a.do(post("/v1/reports/transactions"+query, "tok-acme", reportBody))
		assert.Equal(t, status, w.Code, "%q: %s", query, w.Body)
		assert.NotContains(t, w.Body.String(), "%", "nothing of the query is quoted")
	}
}

// See decision 19 of SERVICE.md.
func TestALimitedClientReportsOnItsMerchants(t *testing.T) {
	at(t, aLimitedClientReportsOnItsMerchants, shared)
}

func aLimitedClientReportsOnItsMerchants(t *testing.T, p place) {
	a := reports(t, p, 1)
	for name, c := range map[string]struct {
		merchant string
		status   int
	}{
		"its own":                {`"` + betas + `"`, 201},
		"its own in upper case":  {`"` + strings.ToUpper(betas) + `"`, 201},
		"another":                {`"1d9c1a52-6a67-4b1c-8a55-0c7b8f7d2f10"`, 403},
		"its own and more":       {`"` + betas + ` "`, 403},
		"a blank":                {`" "`, 403},
		"empty":                  {`""`, 400},
		"null":                   {`null`, 400},
		"its own, then an empty": {`"` + betas + `","merchantId":""`, 400},
	} {
		w := a.do(post("/v1/reports/transactions", "tok-beta", strings.Replace(reportBody, `"`+betas+`"`, c.merchant, 1)))
		assert.Equal(t, c.status, w.Code, "%s: %s", name, w.Body)
	}
	w := a.do(post("/v1/reports/transactions", "tok-beta", strings.Replace(reportBody, "merchantId", "merchantID", 1)))
	assert.Equal(t, 400, w.Code, "missing: %s", w.Body)
}

// It has no link, no rows and no time of completion.
func TestAFailedReportHasNoLinkOrRows(t *testing.T) { at(t, aFailedReportHasNoLinkOrRows, shared) }

func aFailedReportHasNoLinkOrRows(t *testing.T, p place) {
	a := reports(t, p, 1)
	var job map[string]any
	w := a.do(post("/v1/reports/transactions", "tok-acme", reportBody))
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	_, err := a.next().reports.Cancel(t.Context(), "acme", job["id"].(string))
	require.NoError(t, err)
	w = a.do(request{method: "GET", path: "/v1/reports/transactions/" + job["id"].(string), token: "tok-acme"})
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	assert.Equal(t, "FAILED", job["status"])
	assert.Len(t, job, 6, "%v", job)
}
