// Package normalise maps a stream of raw provider failures, as JSON lines, to normalised
// ones. Memory does not grow with the number of lines. Each line is answered before the
// next one is read.
package normalise
