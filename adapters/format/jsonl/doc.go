// Package jsonl writes reports as JSON Lines (jsonlines.org): UTF-8, one JSON object
// per row, LF after every line.
//
//	rows, err := jsonl.New().Begin(file, columns)
//	if err != nil { … }
//	err = rows.Write([]string{"tx_1", "-12.50", "3"}) // {"id":"tx_1","amount":"-12.50","items":3}
//	err = rows.Close()
//
// Members are in the order of the columns and have their names. An empty value has no
// member. Texts, money and times are JSON strings: money as decimal text, since most
// readers convert a JSON number to a binary float, which rounds. Integers are JSON
// numbers; above 2^53 a reader must support them.
//
// Each byte that is not UTF-8 becomes U+FFFD. HTML characters are not escaped: a
// program that shows the values on a page must escape them.
package jsonl
