package portstest

import "testing"

// FileCheckNames lists the checks of ReportFiles, ScratchCheckNames those of
// Scratch.
var (
	FileCheckNames    = fileCheckNames
	ScratchCheckNames = scratchCheckNames
)

// RunFileCheck runs one check of ReportFiles.
func RunFileCheck(tb testing.TB, name string, files Files) {
	for _, c := range fileChecks {
		if c.name == name {
			c.run(newFileKit(tb, files))
			return
		}
	}
	tb.Fatalf("ReportFiles has no check %q", name)
}

// RunScratchCheck runs one check of Scratch.
func RunScratchCheck(tb testing.TB, name string, room Room) {
	for _, c := range scratchChecks {
		if c.name == name {
			c.run(&scratchKit{kit{TB: tb}, room})
			return
		}
	}
	tb.Fatalf("Scratch has no check %q", name)
}
