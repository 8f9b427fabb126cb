//go:build !unix

package service

import "io/fs"

// ours returns true: here temporary folders belong to a single user.
func ours(fs.FileInfo) bool { return true }
