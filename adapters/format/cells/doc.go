// Package cells checks the columns and rows that report writers are given. A
// money or time column's text that is none could be anything, a formula too: a
// source's mistake must not become one (I23).
//
//	func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
//		if err := cells.CheckColumns(columns); err != nil {
//			return nil, err
//		}
//		…
//	}
package cells
