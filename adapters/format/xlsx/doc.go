// Package xlsx writes reports as Office Open XML workbooks (ISO/IEC 29500), with
// github.com/xuri/excelize/v2.
//
//	writer, err := xlsx.New(nil)
//	if err != nil { … }
//	rows, err := writer.Begin(file, columns)
//	if err != nil { … }
//	err = rows.Write([]string{"tx_1", "-12.50", "USD"})
//	err = rows.Close() // writes the file
//
// # Sheets
//
// Each sheet starts with a row of the columns' names. The first is called "report", the
// following ones "report 2" and so on.
//
// # Cells
//
//   - Texts are inline strings in cells with the format "text". They never become formulas, even if
//     a user edits the cell without changing it.
//   - Money and integers of at most 15 digits are numbers, shown with the digits of the report:
//     12.50 stays 12.50. Longer ones, and -0.00, are texts, because a spreadsheet's binary floats
//     would change them.
//   - Times are texts, RFC 3339 in UTC: a spreadsheet's date has no zone.
//   - Empty values have no cell.
//
// Characters that XML cannot contain (most control characters, bytes that are not
// UTF-8) and the noncharacter U+10FFFF become U+FFFD each. A text of more than 32,767
// UTF-16 units is errcodes.Unprocessable; an underscore that starts what looks like an
// escape of the format, such as _x0041_, counts twice.
//
// # Memory
//
// The rows are in a temporary file per sheet, uncompressed, until Close packs them into
// the file. A sheet needs about 32 MB of memory for any number of rows. Close also
// removes the temporary files, whether it succeeds or not.
package xlsx
