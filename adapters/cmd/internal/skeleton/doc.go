// Package skeleton creates the source of a new adapter, including a test that runs its
// conformance suite.
package skeleton
