//go:build !unix

package service

import "io/fs"

// ours holds where each user has a folder for temporary files.
func ours(fs.FileInfo) bool { return true }
