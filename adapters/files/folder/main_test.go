package folder_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		children[role](os.Args[1])
		return
	}
	goleak.VerifyTestMain(m)
}
