// Package csv writes reports as comma-separated values (RFC 4180): UTF-8, the names of
// the columns in the first line, CR LF after every line.
//
//	writer, err := csv.New(&csv.Config{BOM: true}) // for Excel, else nil
//	if err != nil { … }
//	rows, err := writer.Begin(file, columns)
//	if err != nil { … }
//	err = rows.Write([]string{"tx_1", "-12.50", "USD"})
//	err = rows.Close()
//
// # Formulas
//
// A spreadsheet treats a cell that starts with = + - or @ as a formula, which can send
// the sheet's contents away. Payers choose the reference of a payment, so reports
// contain text from strangers. The column's type decides:
//
//   - A text or column name that starts with one of = + - @, a tab, a CR, an LF, a NUL or a
//     full-width ＝ ＋ － ＠ gets an apostrophe in front.
//   - In a text, a semicolon, tab, CR or LF gets an apostrophe after it if = + - @, a NUL or a
//     full-width ＝ ＋ － ＠ follows, after any spaces and quotes. A spreadsheet with another
//     separator than the comma starts a cell there, and our quotes are ordinary letters in the
//     middle of its cells.
//   - A program that reads the file removes the apostrophe at these places.
//   - Money, integers and times are checked against their type and written unchanged: -12.50 stays
//     a number. Other text is rejected, so that a source's mistake does not become a formula.
//
// # Quotes
//
// A text is quoted if it contains a comma, a semicolon (the separator of spreadsheets
// with decimal commas), a tab, a quote, a CR or an LF, if it starts or ends with a
// space, if it is \. (which ends the input of PostgreSQL's COPY), and if it is empty in
// a file with one column, whose line would be blank. Other texts are not quoted. A
// quote in a text is doubled. Each byte that is not UTF-8 becomes U+FFFD.
//
// A reader gets the text back unchanged except for the apostrophe; encoding/csv changes
// a CR LF in a text to LF.
package csv
