package pgtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// children returns the child processes of pid. Without /proc it runs pgrep.
func children(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the only error is a bad pattern
	if len(stats) == 0 {
		return pgrep(pid)
	}
	var found []int
	for _, path := range stats {
		if _, parent, ok := stat(path); ok && parent == pid {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

func pgrep(pid int) []int {
	text, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output() //nolint:gosec,noctx // a number, and an answer at once
	var found []int
	for field := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			found = append(found, child)
		}
	}
	return found
}

// alive reports whether pid is running. Zombies are not alive: in a container without
// an init they remain.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	state, _, ok := stat("/proc/" + strconv.Itoa(pid) + "/stat")
	return !ok || state != 'Z'
}

// stopped waits until a process has obeyed SIGSTOP. Without /proc that is assumed.
func stopped(pid int) error {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if state, _, ok := stat("/proc/" + strconv.Itoa(pid) + "/stat"); !ok || state == 'T' || state == 'Z' {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("pgtest: process %d did not stop within %v", pid, patience)
		}
	}
}

// stat reads a process's state and parent, which follow the name in parentheses
// (proc(5)).
func stat(path string) (state byte, parent int, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const least = 2
	if len(fields) < least {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return fields[0][0], parent, err == nil
}
