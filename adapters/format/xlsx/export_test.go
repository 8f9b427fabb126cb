package xlsx

import "io"

// Mark is what excelize gets instead of an underscore that would start an escape.
const Mark = mark

// Unmarker replaces the marks in what is written to out.
func Unmarker(out io.Writer) io.Writer { return &unmarker{out: out} }
