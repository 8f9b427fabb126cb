package main

import (
	"io"
	"os"
	"strings"
	"time"
)

// progress shows how far a report is: on a terminal in one line that changes,
// elsewhere in plain lines now and then.
type progress struct {
	out      io.Writer
	terminal bool
	every    time.Duration
	width    int
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, every: 2 * time.Second}
	if file, ok := out.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal, p.every = true, 100*time.Millisecond
		}
	}
	return p
}

// spinner moves on with each look: nobody knows of how many rows it is.
var spinner = []string{"|", "/", "-", `\`}

func (p *progress) show(rows int64) {
	if !p.terminal {
		sayf(p.out, "%d rows so far\n", rows)
		return
	}
	p.width = (p.width + 1) % len(spinner)
	sayf(p.out, "\r%s %d rows", spinner[p.width], rows)
}

func (p *progress) end(rows int64) {
	if p.terminal {
		sayf(p.out, "\r%s\r", strings.Repeat(" ", 40))
	}
	sayf(p.out, "%d rows\n", rows)
}
