package main

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A large parent does not affect the peak of a small child; the child's own memory does.
func TestChildPeakExcludesTheParent(t *testing.T) {
	needDD(t)
	parent := make([]byte, 512<<20)
	for i := 0; i < len(parent); i += 4 << 10 {
		parent[i] = 1 // a page is resident once it is written
	}
	for _, c := range []struct {
		name, block    string // dd allocates one block
		atLeast, below int64
	}{
		{"10 MB", "10485760", 10 << 20, 100 << 20},
		{"200 MB", "209715200", 200 << 20, 290 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			peak, err := childPeak(nil, "dd", "if=/dev/zero", "of=/dev/null", "bs="+c.block, "count=1")
			if err != nil {
				t.Fatal(err)
			}
			if peak < c.atLeast || peak >= c.below {
				t.Errorf("%d bytes, want at least %d and below %d", peak, c.atLeast, c.below)
			}
		})
	}
	runtime.KeepAlive(parent)
}

// A command that fails has no peak, and the error contains its standard error.
func TestAFailingCommandHasNoPeak(t *testing.T) {
	needDD(t)
	_, err := childPeak(nil, "dd", "if=/does/not/exist", "of=/dev/null")
	if err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("%v, want dd's own complaint", err)
	}
}

func needDD(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("dd"); err != nil {
		t.Skip("dd is not installed")
	}
}
