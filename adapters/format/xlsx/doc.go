// Package xlsx writes reports as Office Open XML workbooks (ISO/IEC 29500), which
// spreadsheets open by themselves. It stands on github.com/xuri/excelize/v2.
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
// Each sheet begins with a row of the columns' names. The first is called report;
// when it is full, "report 2" goes on, and so forth.
//
// # Cells
//
//   - Texts are inline strings in cells of the format "text", never formulas, also
//     when somebody edits the cell and leaves it as it was.
//   - Money and integers of at most 15 digits are numbers, shown with the digits
//     that they were written with: 12.50 stays 12.50. A spreadsheet computes with
//     binary floats, which would change longer ones, and -0.00; those are texts.
//   - Times are texts, RFC 3339 in UTC. A spreadsheet's date has no zone, so that
//     its reader would have to guess one.
//   - What is empty has no cell.
//
// Characters that XML cannot hold (most control characters, bytes that are no
// UTF-8) and the noncharacter U+10FFFF become U+FFFD each. A text of more than
// 32,767 UTF-16 units is errcodes.Unprocessable. In it an underscore that begins
// what looks like an escape of the format, as in _x0041_, counts double.
//
// # Memory
//
// The rows wait in a temporary file for each sheet, unpacked, until Close packs
// them into the file. A sheet takes about 32 MB of memory, however many rows it
// holds. Close also removes the temporary files, whether it succeeds or not.
package xlsx
