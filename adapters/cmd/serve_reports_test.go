package cmd

import (
	"encoding/csv"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const octoberReport = `{"merchantId":"m","name":"October","columns":["transactionId","status","amount","currency"],` +
	`"parameters":{"dateRange":{"startDate":"2026-10-01","endDate":"2026-10-31"}}}`

// done polls a report until it has ended.
func (s *running) done(path string) map[string]any {
	s.t.Helper()
	var body map[string]any
	s.eventually(func() bool {
		var status int
		status, body = s.do(http.MethodGet, path, "")
		require.Equal(s.t, http.StatusOK, status)
		return body["status"] != "RUNNING"
	}, "a report that does not end")
	return body
}

// onPath returns a link without the address of its process.
func (s *running) onPath(link any) string {
	s.t.Helper()
	for _, url := range s.urls {
		if path, ours := strings.CutPrefix(link.(string), url); ours {
			return path
		}
	}
	require.FailNow(s.t, "a link to elsewhere", link)
	panic("unreachable")
}

// This is the whole way over HTTP: create, poll, download without a token, and read the
// file.
func TestSandboxReportsCanBeDownloaded(t *testing.T) {
	at(t, sandboxReportsCanBeDownloaded, inMemory, onFile, shared)
}

func sandboxReportsCanBeDownloaded(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store, "--report-files", "dir:"+filepath.Join(t.TempDir(), "files"))
	status, job := s.do(http.MethodPost, "/v1/reports/transactions", octoberReport)
	require.Equal(t, http.StatusCreated, status)
	ended := s.done("/v1/reports/transactions/" + job["id"].(string))
	require.Equal(t, "COMPLETED", ended["status"])
	require.NotContains(t, ended, "rows", "more than 1,000 are not cut")
	path := s.onPath(ended["downloadUrl"])
	for _, url := range s.urls { // the link has the address of the process that created it
		answer, err := http.Get(url + path)
		require.NoError(t, err)
		rows, err := csv.NewReader(answer.Body).ReadAll()
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Greater(t, len(rows), 1001)
		require.Equal(t, []string{"transactionId", "status", "amount", "currency"}, rows[0])
	}
	require.InDelta(t, 1, s.metric(`corridor_reports_total{reason="",status="COMPLETED",type="transactions"}`), 0)

	status, job = s.do(http.MethodPost, "/v1/reports/unmatched-settlements", strings.Replace(octoberReport, `"columns":["transactionId","status","amount","currency"],`, "", 1))
	require.Equal(t, http.StatusCreated, status)
	ended = s.done("/v1/reports/unmatched-settlements/" + job["id"].(string))
	reasons := map[any]bool{}
	for _, row := range ended["rows"].([]any) {
		reasons[row.(map[string]any)["reason"]] = true
	}
	require.Len(t, reasons, 7, "each reason: %v", reasons)
	require.Zero(t, s.stop(), s.log)
}

// The key is in the store or configured.
func TestALinkSurvivesItsProcess(t *testing.T) { at(t, aLinkSurvivesItsProcess, onFile, shared) }

func aLinkSurvivesItsProcess(t *testing.T, store string) {
	files := "dir:" + filepath.Join(t.TempDir(), "files")
	s := serveAcme(t, "--sandbox", "--store", store, "--report-files", files)
	_, job := s.do(http.MethodPost, "/v1/reports/transactions", octoberReport)
	link := s.onPath(s.done("/v1/reports/transactions/" + job["id"].(string))["downloadUrl"])
	require.Zero(t, s.stop(), s.log)
	next := serveAcme(t, "--sandbox", "--store", store, "--report-files", files)
	answer, err := http.Get(next.url + link)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.True(t, strings.HasPrefix(string(text), "transactionId,"))
}

func TestUnusableReportFilesAreRejected(t *testing.T) {
	for _, files := range []string{"s3://bucket", "corridor-reports", "dir:/dev/null/x"} {
		code, _, errs := command(t, "", nil, "serve", "--sandbox", "--store", "memory:", "--listen", "127.0.0.1:0", "--report-files", files)
		require.Equal(t, exitRejected, code, errs)
		require.Contains(t, errs, "--report-files")
	}
	code, _, errs := command(t, "", map[string]string{linkKeyEnv: "short"}, "serve", "--sandbox", "--store", "memory:", "--listen", "127.0.0.1:0")
	require.Equal(t, exitRejected, code, errs)
	require.Contains(t, errs, linkKeyEnv)
}
