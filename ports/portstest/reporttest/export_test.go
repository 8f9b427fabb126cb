package reporttest

import (
	"testing"

	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// FileCheckNames returns the names of ReportFiles' checks.
func FileCheckNames() []string { return kit.Names(fileChecks) }

// RunFileCheck runs one check of ReportFiles.
func RunFileCheck(tb testing.TB, name string, files Files) {
	kit.One("ReportFiles", fileChecks, name, newFileKit(tb, files))
}

// ScratchCheckNames returns the names of Scratch's checks.
func ScratchCheckNames() []string { return kit.Names(scratchChecks) }

// RunScratchCheck runs one check of Scratch.
func RunScratchCheck(tb testing.TB, name string, room Room) {
	kit.One("Scratch", scratchChecks, name, &scratchKit{kit.Kit{TB: tb}, room})
}

// ReportWriterCheckNames returns the names of ReportWriter's checks.
func ReportWriterCheckNames() []string { return kit.Names(reportWriterChecks) }

// RunReportWriterCheck runs one check of ReportWriter.
func RunReportWriterCheck(tb testing.TB, name string, h WriterHarness) {
	kit.One("ReportWriter", reportWriterChecks, name, &reportKit{Kit: kit.Kit{TB: tb}, WriterHarness: h})
}
