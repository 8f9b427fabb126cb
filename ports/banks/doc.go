// Package banks is a directory of the banks of the markets that corridor
// validates accounts in: one canonical code for each, its name, and the code
// under which each provider knows it.
package banks
