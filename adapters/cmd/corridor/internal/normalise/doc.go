// Package normalise answers a stream of JSON lines, each a provider's raw failure,
// with what it means. Its memory does not grow with the number of lines, and whoever
// types a line has the answer before the next.
package normalise
