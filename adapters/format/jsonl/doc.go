// Package jsonl writes reports as JSON Lines (jsonlines.org): UTF-8, one JSON
// object a row, every line ended by LF.
//
//	rows, err := jsonl.New().Begin(file, columns)
//	if err != nil { … }
//	err = rows.Write([]string{"tx_1", "-12.50", "3"}) // {"id":"tx_1","amount":"-12.50","items":3}
//	err = rows.Close()
//
// Members stand in the columns' order under the columns' names. A column without
// a value has no member in that row. Texts, money and times are JSON strings:
// money as decimal text, since most readers make a JSON number a binary float
// that rounds it. Integers are JSON numbers; one beyond 2^53 needs a reader that
// keeps it whole.
//
// Bytes that are no UTF-8 become U+FFFD each. HTML characters are not escaped:
// whoever puts the values on a page does that.
package jsonl
