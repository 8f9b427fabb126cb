// Package embedding compiles and runs what an embedder writes: the snippets of
// the README, and a whole service of several processes on one database, as the
// example shows it.
package embedding
