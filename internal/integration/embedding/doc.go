// Package embedding has the whole service, wired by hand by an embedder, as an example: any
// number of processes on one database.
package embedding
