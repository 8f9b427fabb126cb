// Command gen writes the lookup table of package currency from the CSV file
// that holds List One of ISO 4217. It refuses a file that is not sorted by
// code, repeats a code or a number, or holds a malformed field.
//
//	go run ./gen -in iso4217.csv -out table.go
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	in := flag.String("in", "iso4217.csv", "CSV `file` to read")
	out := flag.String("out", "table.go", "Go `file` to write")

	flag.Parse()

	if err := generate(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(in, out string) error {
	file, err := os.Open(in)
	if err != nil {
		return err
	}
	defer file.Close()

	currencies, err := parse(file)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}

	source, err := render(currencies)
	if err != nil {
		return err
	}

	return os.WriteFile(out, source, 0o644)
}
