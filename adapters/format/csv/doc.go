// Package csv writes reports as comma-separated values (RFC 4180): UTF-8, a first
// line with the columns' names, every line ended by CR LF.
//
//	writer, err := csv.New(&csv.Config{BOM: true}) // for Excel; nil for everybody else
//	if err != nil { … }
//	rows, err := writer.Begin(file, columns)
//	if err != nil { … }
//	err = rows.Write([]string{"tx_1", "-12.50", "USD"})
//	err = rows.Close()
//
// # Formulas
//
// A spreadsheet takes a cell that begins with = + - or @ for a formula, which
// can send the sheet's contents away. Who pays chooses the reference of a
// payment, so a report holds texts of strangers. Here the column's type decides:
//
//   - A text, and a column's name, that begins with one of = + - @, a tab, a CR,
//     an LF, a NUL or a full-width ＝ ＋ － ＠ gets an apostrophe in front.
//   - Inside a text, a semicolon, a tab, a CR or an LF gets an apostrophe behind it
//     when one of = + - @, a NUL or a full-width ＝ ＋ － ＠ follows, blanks and quotes
//     passed over. A spreadsheet whose separator is another than the comma begins a
//     cell there: our quotes stand in the midst of its cells, where they are letters.
//   - Whoever reads the file by a program takes the apostrophe off at these places.
//   - Money, integers and times are checked against their type and written as they
//     are: -12.50 stays a number. What is not of its type is refused, so that the
//     mistake of a source does not become a formula.
//
// # Quotes
//
// A text is quoted when it holds a comma, a semicolon (the separator of
// spreadsheets that use decimal commas), a tab, a quote, a CR or an LF, when it
// begins or ends with a space, when it is \. (which ends the input of
// PostgreSQL's COPY), and when it is empty in a file of one column, whose line
// would be blank. Nothing else is. A quote inside is doubled. Bytes that are no
// UTF-8 become U+FFFD each.
//
// A text reads back as it was, the apostrophe apart; encoding/csv turns a CR LF
// inside a text into LF.
package csv
