// Command peak runs the command that its arguments name, on its own standard
// input, and prints how much memory that command had resident at the most, in
// bytes.
//
// It exists because it is small. The maximum that the system keeps for a process
// (ru_maxrss) starts at the maximum of the process that started it: it survives
// vfork and exec. A large process that measures its children that way measures
// itself, so it starts this one in between.
package main
