// Command peak runs the command in its arguments with its own standard input, and prints
// the command's peak resident memory in bytes.
//
// It must be small. The system's maximum for a process (ru_maxrss) starts at the maximum
// of the process that started it: it survives vfork and exec. A large process that
// measures a child directly would measure itself, so it starts this one in between.
package main
