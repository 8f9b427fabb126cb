package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// childPeak runs a command with stdin and returns its peak resident memory in bytes. It
// starts the command from the small process ./peak, because the peak of a direct child
// would be at least that of this process.
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
