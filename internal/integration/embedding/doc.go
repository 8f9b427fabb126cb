// Package embedding compiles and runs code of embedders: the snippets of the README, and,
// as an example, a service of several processes on one database.
package embedding
