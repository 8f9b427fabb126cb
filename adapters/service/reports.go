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
	linkKeyEnv  = "CORRIDOR_URL_KEY" // not a flag: command lines are visible to every user of the machine
	linkKeyName = "report link key"

	settleWithin = 7 * 24 * time.Hour
	keepReports  = 30 * 24 * time.Hour
)

// ReportSettings are the settings for reports.
type ReportSettings struct {
	ReportFiles string `default:"dir:corridor-reports" env:"CORRIDOR_REPORT_FILES" help:"Where finished reports are kept: ${places}. All processes must share it."`
}

// reports returns the report service, or nil without the sandbox: only the sandbox has
// data to report on, and embedders have their own sources.
func (b *builder) reports() (*report.Service, error) {
	if !b.settings.Sandbox {
		return nil, nil //nolint:nilnil // nil is a valid result
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

// ReportPorts are the ports that reports need.
type ReportPorts struct {
	Reports      ports.ReportStore
	Transactions ports.TransactionSource
	Settlements  ports.SettlementSource
	Files        ports.ReportFiles
}

// NewReports returns a report service with the formats of parts and the policy of the
// service, for commands with their own sources.
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

// openFiles opens the place of --report-files.
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
	return nil, nil, fmt.Errorf("--report-files %s: want %s; embedders can use any bucket of gocloud.dev/blob", kindOf(spec), p.placeForms())
}

func (p Parts) placeForms() string {
	return either(p.Places, func(k PlaceKind) string { return k.Form })
}

// linkKey returns the key that signs download links: the configured key, or else one in
// the store.
func linkKey(ctx context.Context, s *Store) ([]byte, error) {
	if text := os.Getenv(linkKeyEnv); text != "" {
		if len(text) < ownKeySize {
			return nil, fmt.Errorf("%s must have at least %d bytes", linkKeyEnv, ownKeySize)
		}
		return []byte(text), nil
	}
	return s.ownKey(ctx, linkKeyName)
}
