//go:build !unix

package service

import "io/fs"

// ours returns true: here temporary folders belong to a single user.
func ours(fs.FileInfo) bool { return true }

// fits returns true: here the number of open files is not limited.
func fits(int) bool { return true }
