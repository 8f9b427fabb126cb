package service

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

const (
	linkKeyEnv  = "CORRIDOR_URL_KEY" // no flag: a command line is seen by every user of the machine
	linkKeyName = "report link key"

	settleWithin = 7 * 24 * time.Hour
	keepReports  = 30 * 24 * time.Hour
)

// ReportSettings are the settings that concern reports.
type ReportSettings struct {
	ReportFiles string `default:"dir:corridor-reports" env:"CORRIDOR_REPORT_FILES" help:"Where finished reports are: ${places}; shared by all processes."`
}

// reports makes the reports, or nil: what they are about is the sandbox's, and an
// embedder has sources of its own.
func (b *builder) reports() (*report.Service, error) {
	if !b.settings.Sandbox {
		return nil, nil //nolint:nilnil // there is nothing to report on, which is no error
	}
	files, closeFiles, err := b.parts.openFiles(b.ctx, b.settings.Reports.ReportFiles)
	if err != nil {
		return nil, err
	}
	b.closes(closeFiles)
	key, err := linkKey(b.ctx, b.store)
	if err != nil {
		return nil, err
	}
	books, err := sandbox.New(nil)
	if err != nil {
		return nil, err
	}
	return NewReports(b.parts, ReportPorts{b.store.Reports(), books.Transactions(), books.Settlements(), files}, &report.Config{
		Logger: b.log, Hooks: b.count.reportHooks(), LinkKey: key,
	})
}

// ReportPorts are what reports read and write.
type ReportPorts struct {
	Reports      ports.ReportStore
	Transactions ports.TransactionSource
	Settlements  ports.SettlementSource
	Files        ports.ReportFiles
}

// NewReports makes reports with the formats of parts and the policy of the
// service, for a tool that brings the sources.
func NewReports(parts Parts, on ReportPorts, config *report.Config) (*report.Service, error) {
	writers, err := parts.reportWriters()
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
		Reports: on.Reports, Transactions: on.Transactions, Settlements: on.Settlements, Writers: writers, Files: on.Files, Scratch: scratch,
	}, report.Policy{
		SettleWithin: settleWithin, KeepFor: keepReports, Directions: []errcodes.Direction{errcodes.Payin, errcodes.Payout},
	}, config)
}

func (p Parts) reportWriters() ([]ports.ReportWriter, error) {
	writers := make([]ports.ReportWriter, len(p.Formats))
	for i, format := range p.Formats {
		var err error
		if writers[i], err = format.Open(); err != nil {
			return nil, err
		}
	}
	return writers, nil
}

// openFiles opens what --report-files names.
func (p Parts) openFiles(ctx context.Context, spec string) (ports.ReportFiles, func() error, error) {
	for _, kind := range p.Places {
		source, ok := strings.CutPrefix(spec, kind.Name)
		if !ok {
			continue
		}
		files, closeFiles, err := kind.Open(ctx, source)
		if err != nil {
			return nil, nil, fmt.Errorf("--report-files %s: %w", spec, err)
		}
		return files, closeFiles, nil
	}
	return nil, nil, fmt.Errorf("--report-files %s: want %s; an embedder opens any bucket of gocloud.dev/blob", kindOf(spec), p.placeForms())
}

func (p Parts) placeForms() string {
	return either(p.Places, func(k PlaceKind) string { return k.Form })
}

// linkKey is what download links are signed with: the installation's own where
// none is set.
func linkKey(ctx context.Context, s *Store) ([]byte, error) {
	if text := os.Getenv(linkKeyEnv); text != "" {
		if len(text) < ownKeySize {
			return nil, fmt.Errorf("%s has at least %d bytes", linkKeyEnv, ownKeySize)
		}
		return []byte(text), nil
	}
	return s.ownKey(ctx, linkKeyName)
}
