// Package skeleton writes the skeleton of an adapter, whose test already calls
// its conformance suite.
package skeleton
