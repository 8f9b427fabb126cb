package folder_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/corridor-go/corridor/adapters/files/folder"
)

func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "reports")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	files, err := folder.New(dir, nil)
	if err != nil {
		panic(err)
	}
	defer files.Close()

	f, err := files.Create(ctx, "rep_1/report.csv")
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Abort() }() // does nothing after Commit
	fmt.Fprintln(f, "id,amount")
	if err := f.Commit(ctx); err != nil {
		panic(err)
	}

	r, err := files.Open(ctx, "rep_1/report.csv")
	if err != nil {
		panic(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	fmt.Printf("%d bytes: %s %v\n", r.Size(), data, err)
	// Output:
	// 10 bytes: id,amount
	//  <nil>
}

func ExampleNewScratch() {
	dir, err := os.MkdirTemp("", "scratch")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	scratch, err := folder.NewScratch(dir, nil)
	if err != nil {
		panic(err)
	}
	defer scratch.Close()

	space, err := scratch.Open(context.Background())
	if err != nil {
		panic(err)
	}
	defer space.Close() // removes the space with all its files
	w, err := space.Create("run1")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(w, "sorted")
	if err := w.Close(); err != nil {
		panic(err)
	}
	r, err := space.Open("run1")
	if err != nil {
		panic(err)
	}
	defer r.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	fmt.Print(line, err)
	// Output:
	// sorted
	// <nil>
}
