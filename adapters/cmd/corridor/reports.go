package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file:///path

	blobfiles "github.com/corridor-go/corridor/adapters/files/blob"
	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/format/jsonl"
	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

const (
	linkKeyEnv  = "CORRIDOR_URL_KEY" // no flag: a command line is seen by every user of the machine
	linkKeyName = "report link key"
	linkKeySize = 32

	settleWithin = 7 * 24 * time.Hour
	keepReports  = 30 * 24 * time.Hour
)

// reportSettings are the flags of serve that concern reports.
type reportSettings struct {
	ReportFiles string `default:"dir:corridor-reports" env:"CORRIDOR_REPORT_FILES" help:"Where finished reports are: dir:PATH, or a bucket as file:///PATH; shared by all processes."`
}

// reports are the service, if there is something to report on.
type reports struct {
	service *report.Service // nil: none
	close   func() error
}

// open makes the reports. What they are about is the sandbox's: an embedder has
// sources of its own.
func (c *reportSettings) open(ctx context.Context, s *store, inSandbox bool, count *counters, log *slog.Logger) (*reports, error) {
	if !inSandbox {
		return &reports{close: func() error { return nil }}, nil
	}
	files, closeFiles, err := openFiles(ctx, c.ReportFiles)
	if err != nil {
		return nil, err
	}
	key, err := linkKey(ctx, s)
	if err != nil {
		return nil, errors.Join(err, closeFiles())
	}
	books, err := sandbox.New(nil)
	if err != nil {
		return nil, errors.Join(err, closeFiles())
	}
	service, err := newReports(s, reportParts{books.Transactions(), books.Settlements(), files}, &report.Config{
		Logger: log, Hooks: count.reportHooks(), LinkKey: key,
	})
	if err != nil {
		return nil, errors.Join(err, closeFiles())
	}
	return &reports{service, closeFiles}, nil
}

// reader is what the routes read; none where there are no reports.
func (r *reports) reader() httpserver.Reports {
	if r.service == nil {
		return nil
	}
	return r.service
}

// Run makes what is asked for.
func (r *reports) Run(ctx context.Context) error {
	if r.service == nil {
		return nil
	}
	return r.service.Run(ctx)
}

// stop ends what runs.
func (r *reports) stop(ctx context.Context) error {
	if r.service == nil {
		return nil
	}
	return r.service.Close(ctx)
}

// reportParts are what reports read and write.
type reportParts struct {
	transactions ports.TransactionSource
	settlements  ports.SettlementSource
	files        ports.ReportFiles
}

func newReports(s *store, parts reportParts, config *report.Config) (*report.Service, error) {
	writers, err := reportWriters()
	if err != nil {
		return nil, err
	}
	dir, err := scratchDir()
	if err != nil {
		return nil, err
	}
	scratch, err := folder.NewScratch(dir, nil)
	if err != nil {
		return nil, err
	}
	return report.New(report.Ports{
		Reports: s.Reports(), Transactions: parts.transactions, Settlements: parts.settlements, Writers: writers, Files: parts.files, Scratch: scratch,
	}, report.Policy{
		SettleWithin: settleWithin, KeepFor: keepReports, Directions: []errcodes.Direction{errcodes.Payin, errcodes.Payout},
	}, config)
}

func reportWriters() ([]ports.ReportWriter, error) {
	commas, err := csv.New(nil)
	if err != nil {
		return nil, err
	}
	sheets, err := xlsx.New(nil)
	if err != nil {
		return nil, err
	}
	return []ports.ReportWriter{commas, jsonl.New(), sheets}, nil
}

// openFiles opens what --report-files names.
func openFiles(ctx context.Context, spec string) (ports.ReportFiles, func() error, error) {
	if path, ok := strings.CutPrefix(spec, "dir:"); ok {
		files, err := folder.New(path, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("--report-files %s: %w", spec, err)
		}
		return files, func() error { return nil }, nil
	}
	if !strings.HasPrefix(spec, "file://") {
		return nil, nil, fmt.Errorf("--report-files %s: want dir:PATH or file:///PATH; an embedder opens any bucket of gocloud.dev/blob", kindOf(spec))
	}
	bucket, err := blob.OpenBucket(ctx, spec)
	if err != nil {
		return nil, nil, fmt.Errorf("--report-files %s: %w", spec, err)
	}
	files, err := blobfiles.New(bucket)
	if err != nil {
		return nil, nil, errors.Join(err, bucket.Close())
	}
	return files, bucket.Close, nil
}

// linkKey is what download links are signed with: the installation's own where
// none is set.
func linkKey(ctx context.Context, s *store) ([]byte, error) {
	if text := os.Getenv(linkKeyEnv); text != "" {
		if len(text) < linkKeySize {
			return nil, fmt.Errorf("%s has at least %d bytes", linkKeyEnv, linkKeySize)
		}
		return []byte(text), nil
	}
	fresh := make([]byte, linkKeySize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	return s.Secrets().Secret(ctx, linkKeyName, fresh)
}
