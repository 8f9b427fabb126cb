//go:build !linux

package folder_test

import "testing"

func disk(tb testing.TB) (dir string, fill func() (empty func())) {
	tb.Helper()
	return tb.TempDir(), nil
}
