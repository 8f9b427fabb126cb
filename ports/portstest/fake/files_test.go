package fake_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

func TestMemoryFilesCountOpenFiles(t *testing.T) {
	m := fake.NewFiles()
	clock := portstest.NewClock(morning)
	m.Clock = clock
	f, err := m.Create(t.Context(), "a")
	if err != nil || m.Writing() != 1 || len(m.Names()) != 0 {
		t.Fatalf("after Create: %v, writing %d, names %v", err, m.Writing(), m.Names())
	}
	if err := f.Commit(t.Context()); err != nil || f.Abort() != nil || m.Writing() != 0 || !slices.Equal(m.Names(), []string{"a"}) {
		t.Fatalf("after Commit: %v, writing %d, names %v", err, m.Writing(), m.Names())
	}
	clock.Advance(time.Hour)
	if r, err := m.Open(t.Context(), "a"); err != nil || !r.ModTime().Equal(morning) {
		t.Fatalf("Open: %v, want a file of the time of Commit", err)
	}
}

func ExampleNewFiles() {
	ctx := context.Background()
	files := fake.NewFiles()
	f, err := files.Create(ctx, "rep_1/report.csv")
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(f, "id,amount\n")
	fmt.Println(files.Writing(), files.Names())
	_ = f.Commit(ctx)
	fmt.Println(files.Writing(), files.Names())
	// Output:
	// 1 []
	// 0 [rep_1/report.csv]
}
