package wire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
	"github.com/corridor-go/corridor/report"
)

// linked makes a report and returns a request for its file.
func linked(t *testing.T, a *house) request {
	t.Helper()
	w := a.do(post("/v1/reports/transactions", "tok-acme", reportBody))
	require.Equal(t, 201, w.Code, w.Body)
	var job struct{ ID string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	require.NoError(t, a.next().reports.Tick(t.Context(), a.clock.Now()))
	token, _, err := a.next().reports.LinkToken(t.Context(), "acme", job.ID)
	require.NoError(t, err)
	return request{method: http.MethodGet, path: "/v1/reports/files/" + token}
}

const twoRows = "é,2026-11-20T00:00:00.000Z\né,2026-11-20T00:00:01.000Z\n" // 56 bytes

func TestDownloadsSupportRanges(t *testing.T) { at(t, downloadsSupportRanges, shared) }

func downloadsSupportRanges(t *testing.T, p place) {
	a := reports(t, p, 2)
	download := linked(t, a)
	whole := a.do(download)
	etag, modified := whole.Header().Get("Etag"), whole.Header().Get("Last-Modified")
	require.Equal(t, twoRows, whole.Body.String())
	require.Regexp(t, `^"[0-9a-f]{64}"$`, etag)
	require.NotEmpty(t, modified)
	for name, c := range map[string]struct {
		header map[string]string
		status int
		body   string // for 200 and 206
		of     string // Content-Range
	}{
		"the first bytes":             {map[string]string{"Range": "bytes=0-1"}, 206, twoRows[:2], "bytes 0-1/56"},
		"from the middle":             {map[string]string{"Range": "bytes=27-"}, 206, twoRows[27:], "bytes 27-55/56"},
		"the last bytes":              {map[string]string{"Range": "bytes=-5"}, 206, twoRows[51:], "bytes 51-55/56"},
		"beyond the end":              {map[string]string{"Range": "bytes=50-999"}, 206, twoRows[50:], "bytes 50-55/56"},
		"several":                     {map[string]string{"Range": "bytes=0-1,5-6"}, 200, twoRows, ""},
		"a thousand":                  {map[string]string{"Range": "bytes=" + strings.Repeat("0-1,", 999) + "0-1"}, 200, twoRows, ""},
		"outside the file":            {map[string]string{"Range": "bytes=56-"}, 416, "", "bytes */56"},
		"backwards":                   {map[string]string{"Range": "bytes=5-1"}, 416, "", ""},
		"above all numbers":           {map[string]string{"Range": "bytes=99999999999999999999-"}, 416, "", ""},
		"no bytes":                    {map[string]string{"Range": "rows=0-1"}, 416, "", ""},
		"If-Range with the ETag":      {map[string]string{"Range": "bytes=0-1", "If-Range": etag}, 206, twoRows[:2], "bytes 0-1/56"},
		"If-Range with another ETag":  {map[string]string{"Range": "bytes=0-1", "If-Range": `"x"`}, 200, twoRows, ""},
		"If-Range with a weak ETag":   {map[string]string{"Range": "bytes=0-1", "If-Range": "W/" + etag}, 200, twoRows, ""},
		"If-Range with the time":      {map[string]string{"Range": "bytes=0-1", "If-Range": modified}, 206, twoRows[:2], "bytes 0-1/56"},
		"If-None-Match with the ETag": {map[string]string{"If-None-Match": etag}, 304, "", ""},
		"If-None-Match, another ETag": {map[string]string{"If-None-Match": `"x"`}, 200, twoRows, ""},
		"If-None-Match with *":        {map[string]string{"If-None-Match": "*", "Range": "bytes=999-"}, 304, "", ""},
		"If-Match with the ETag":      {map[string]string{"If-Match": etag}, 200, twoRows, ""},
		"If-Match with another ETag":  {map[string]string{"If-Match": `"x"`}, 412, "", ""},
		"If-Modified-Since":           {map[string]string{"If-Modified-Since": modified}, 304, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := download
			q.header = c.header
			w := a.do(q)
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.of, w.Header().Get("Content-Range"))
			assert.Equal(t, "private, no-store", w.Header().Get("Cache-Control"))
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			switch c.status {
			case 200, 206:
				assert.Equal(t, c.body, w.Body.String())
				assert.Equal(t, etag, w.Header().Get("Etag"))
				assert.Equal(t, "text/csv; charset=utf-8", w.Header().Get("Content-Type"))
				assert.NotEmpty(t, w.Header().Get("Content-Disposition"))
			case 304:
				assert.Equal(t, etag, w.Header().Get("Etag"))
				assert.Empty(t, w.Body)
			default:
				requireRefusal(t, w)
			}
		})
	}
}

// requireRefusal requires the flat envelope (I29) without anything of the file.
func requireRefusal(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	var body errcodes.Flat
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body)
	assert.Equal(t, w.Code, body.StatusCode)
	assert.Equal(t, http.StatusText(w.Code), body.Error)
	assert.NotEmpty(t, body.Message)
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	for _, name := range []string{"Content-Disposition", "Etag", "Last-Modified"} {
		assert.Empty(t, w.Header().Get(name), name)
	}
}

// A path has one method, and not even HEAD in addition.
func TestOtherMethodsOnADownloadAreRejected(t *testing.T) {
	at(t, otherMethodsOnADownloadAreRejected, shared)
}

func otherMethodsOnADownloadAreRejected(t *testing.T, p place) {
	a := reports(t, p, 2)
	download := linked(t, a)
	for _, download.method = range []string{http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions} {
		w := a.do(download)
		assert.Equal(t, 405, w.Code, download.method)
		assert.Equal(t, "GET", w.Header().Get("Allow"), download.method)
		requireRefusal(t, w)
	}
}

// The response is the same, whatever is wrong with a link.
func TestInvalidLinksHaveOneResponse(t *testing.T) { at(t, invalidLinksHaveOneResponse, shared) }

func invalidLinksHaveOneResponse(t *testing.T, p place) {
	a := reports(t, p, 2)
	const path = "/v1/reports/files/"
	download := linked(t, a)
	token := strings.TrimPrefix(download.path, path)
	another := strings.TrimPrefix(linked(t, a).path, path)
	b := reports(t, p, 2)
	foreign := strings.TrimPrefix(linked(t, b).path, path)
	decode := func(token string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		return raw
	}
	const mac = 32
	one, two := decode(token), decode(another)
	bad := map[string]string{
		"another report with this signature": base64.RawURLEncoding.EncodeToString(append(two[:len(two)-mac:len(two)-mac], one[len(one)-mac:]...)),
		"of another installation":            foreign,
		"cut":                                token[:len(token)-1],
		"without its signature":              base64.RawURLEncoding.EncodeToString(one[:len(one)-mac]),
		"with another byte":                  base64.RawURLEncoding.EncodeToString(append(slices.Clip(one), 0)),
		"with another letter":                token + "A",
		"with four more letters":             token + "AAAA",
		"padded":                             token + "=",
		"with a line break":                  token + "%0A",
		"with a return inside":               token[:9] + "%0D" + token[9:],
		"with a zero":                        token + "%00",
		"with a blank":                       token + "%20",
		"with a file extension":              token + ".csv",
		"with a slash":                       token + "%2Fx",
		"twice":                              token + token,
		"in upper case":                      strings.ToUpper(token),
		"of dots":                            "%2e%2e%2freport.csv",
		"of no bytes":                        "AA",
		"much too long":                      strings.Repeat("A", 10_000),
	}
	for i := range token {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		bad["altered at "+token[:i]] = token[:i] + string(other) + token[i+1:]
	}
	for name, token := range bad {
		w := a.do(request{method: http.MethodGet, path: path + token})
		assert.Equal(t, 404, w.Code, name)
		assert.JSONEq(t, `{"message":"No such download, or it has expired","error":"Not Found","statusCode":404}`, w.Body.String(), name)
		assert.Empty(t, w.Header().Get("Content-Disposition"), name)
	}
	download.path += "?x=%zz"
	acme := ports.Client{ID: "acme", Secrets: []ports.ClientSecret{{SHA256: clientauth.HashSecret("s3cret")}}}
	soon := acme
	soon.RevokedBefore = a.clock.Now().Add(time.Millisecond)
	require.NoError(t, a.next().clients.PutClient(t.Context(), soon, storemodel.AuditRow))
	assert.Equal(t, 200, a.do(download).Code, "links end in a millisecond")
	a.clock.Advance(time.Millisecond)
	for name, change := range map[string]func(c *ports.Client){
		"of a disabled client":          func(c *ports.Client) { c.Disabled = true },
		"made before tokens were ended": func(c *ports.Client) { *c = soon },
	} {
		changed := acme
		change(&changed)
		require.NoError(t, a.next().clients.PutClient(t.Context(), changed, storemodel.AuditRow))
		w := a.do(download)
		assert.Equal(t, 404, w.Code, name)
		assert.JSONEq(t, `{"message":"No such download, or it has expired","error":"Not Found","statusCode":404}`, w.Body.String(), name)
		assert.Empty(t, w.Header().Get("Content-Disposition"), name)
	}
	acme.RevokedBefore = a.clock.Now().Add(-time.Millisecond)
	require.NoError(t, a.next().clients.PutClient(t.Context(), acme, storemodel.AuditRow))
	a.clock.Advance(report.DefaultLinkLife - 2*time.Millisecond)
	assert.Equal(t, 200, a.do(download).Code, "a query is nothing to a link")
	a.clock.Advance(time.Millisecond)
	assert.Equal(t, 404, a.do(download).Code, "expired")
}

// badFile is a report's file on a failing disk.
type badFile struct {
	ports.ReportFile

	read, seek error
}

func (f badFile) Read(b []byte) (int, error) {
	if f.read != nil {
		return 0, f.read
	}
	return f.ReportFile.Read(b)
}

func (f badFile) Seek(offset int64, whence int) (int64, error) {
	if f.seek != nil && offset > 0 {
		return 0, f.seek
	}
	return f.ReportFile.Seek(offset, whence)
}

// badDisk is a service whose files have the faults of badFile.
type badDisk struct {
	*report.Service

	fault badFile
	trace string // of the last OpenLink
}

func (s *badDisk) OpenLink(ctx context.Context, token string) (report.File, error) {
	s.trace = httpserver.TraceID(ctx)
	file, err := s.Service.OpenLink(ctx, token)
	if err != nil {
		return file, err
	}
	fault := s.fault
	fault.ReportFile = file.ReportFile
	file.ReportFile = fault
	return file, nil
}

// The client sees nothing of the error, and a partial file is never mistaken for a
// complete one.
func TestAFailingDiskIsNotRevealed(t *testing.T) {
	a := reports(t, alone, 2)
	disk := &badDisk{Service: a.processes[0].reports}
	var log bytes.Buffer
	a.serve(alone, func(int) (httpserver.Authenticator, httpserver.Services) {
		return a.processes[0].auth, httpserver.Services{Reports: disk}
	}, httpserver.Config{Clock: a.clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	download := linked(t, a)
	secret := errcodes.New(errcodes.StorageUnavailable, "canary-bucket is gone")

	w := a.do(download)
	assert.Equal(t, w.Header().Get("X-Trace-Id"), disk.trace, "the service knows the request")

	disk.fault = badFile{seek: secret}
	log.Reset()
	w = a.do(download.with("Range", "bytes=3-12"))
	assert.Equal(t, 503, w.Code, "no such range would be a lie")
	assert.Empty(t, w.Header().Get("Content-Range"))
	assert.Contains(t, log.String(), "level=ERROR")

	disk.fault = badFile{read: secret}
	log.Reset()
	srv := httptest.NewServer(a.h)
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+download.path, nil)
	require.NoError(t, err)
	answer, err := srv.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s", body)
	srv.Close()
	assert.Contains(t, log.String(), "code=storage_unavailable")
}
