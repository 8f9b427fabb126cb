package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	bytes, err := peak(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, bytes)
}

func peak(args []string) (int64, error) {
	if len(args) == 0 {
		return 0, errors.New("usage: peak COMMAND [ARGUMENT …]")
	}
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stderr = os.Stdin, os.Stderr
	if err := command.Run(); err != nil {
		return 0, err
	}
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the system does not report the memory of processes")
	}
	bytes := int64(usage.Maxrss) //nolint:unconvert // 32 bits on some systems
	if runtime.GOOS == "linux" {
		bytes <<= 10 // KiB here, bytes elsewhere
	}
	return bytes, nil
}
