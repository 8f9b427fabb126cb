// Package report tests that reports survive their process: every acknowledged report is
// completed correctly, on SQLite and a folder, although the process that makes it is
// killed repeatedly.
//
//	go test ./internal/integration/report -crash.rounds 100
package report
