package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// childPeak runs a command on stdin and returns how much memory it had resident
// at the most, in bytes. The small process ./peak starts it, because the maximum
// of a child of this process would be at least the maximum of this process.
func childPeak(stdin io.Reader, name string, args ...string) (int64, error) {
	launcher := exec.Command("go", append([]string{"run", "./peak", name}, args...)...)
	var complaint bytes.Buffer
	launcher.Stdin, launcher.Stderr = stdin, &complaint
	printed, err := launcher.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(complaint.String()))
	}
	return strconv.ParseInt(strings.TrimSpace(string(printed)), 10, 64)
}
