// Package completion prints shell scripts that complete the commands, flags and values of a
// command line.
package completion
