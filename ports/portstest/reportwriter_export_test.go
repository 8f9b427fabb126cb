package portstest

import "testing"

// ReportWriterCheckNames lists the checks of ReportWriter.
func ReportWriterCheckNames() []string {
	var out []string
	for _, c := range reportWriterChecks {
		out = append(out, c.name)
	}
	return out
}

// RunReportWriterCheck runs one check of ReportWriter.
func RunReportWriterCheck(tb testing.TB, name string, h ReportWriterHarness) {
	for _, c := range reportWriterChecks {
		if c.name == name {
			c.run(&reportKit{kit: kit{TB: tb}, ReportWriterHarness: h})
			return
		}
	}
	tb.Fatalf("ReportWriter has no check %q", name)
}
