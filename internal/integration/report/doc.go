// Package report tests that a report outlives its process: whatever was
// acknowledged ends whole, on SQLite and a folder, though the process that makes
// it is killed again and again.
//
//	go test ./internal/integration/report -crash.rounds 100
package report
