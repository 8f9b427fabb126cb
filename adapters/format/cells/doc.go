// Package cells checks the columns and rows of report writers. Text that does not match
// a money or time column could be anything, even a formula, which a source's mistake
// must not produce (I23).
//
//	func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
//		if err := cells.CheckColumns(columns); err != nil {
//			return nil, err
//		}
//		…
//	}
package cells
