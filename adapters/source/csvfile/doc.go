// Package csvfile reads settlements from a text file with one line per settlement, as
// banks and payment providers export them:
//
//	Reference;Amount;Currency;Value date
//	ORD-1001;1.250,00;KES;20.11.2026 14:30
//
//	source, err := csvfile.New("/var/lib/corridor/settlements.csv", csvfile.Config{
//		Reference: "Reference", Amount: "Amount", Currency: "Currency", SettledAt: "Value date",
//		FixedOwner: "acme", DecimalComma: true, Thousands: ".",
//		TimeLayouts: []string{"02.01.2006 15:04"}, Zone: "Africa/Nairobi",
//	})
//
// # Amounts
//
// Money received is positive, and money taken back negative. A file has one column of
// amounts, with a sign or with a second column for the direction ([Config].Sign), or one
// column for each direction, as in M-Pesa's statements:
//
//	Receipt No.,Completion Time,Details,Paid In,Withdrawn
//	TJ60X,2026-11-20 14:30:00,Pay Bill,"1,250.00",
//	TJ61X,2026-11-20 15:10:00,Reversal,,-250.00
//
//	csvfile.Config{
//		Reference: "Receipt No.", CreditAmount: "Paid In", DebitAmount: "Withdrawn", …
//	}
//
// # Files
//
// A file is UTF-8 with or without a byte order mark, with lines ending in LF or CRLF,
// fields quoted as in RFC 4180, and a delimiter that is configured or found in the
// header. A path ending in .gz means that it is compressed with gzip. Every report
// reads the file again, as a stream: memory grows neither with the file nor with the
// length of a line.
//
// A header in which a column is missing or repeated, UTF-16, lines that end otherwise (in
// CR, for example), and a compressed file that is incomplete are
// [errcodes.Unprocessable], and the message names the problem. A file that cannot be
// opened or read is [errcodes.Unavailable].
//
// A quoted field may contain any line end. Outside quotes, CR always counts as a line
// end; VT, FF, FS, GS, RS, NEL, U+2028 and U+2029 do so in the first line, in skipped
// lines, in configured columns, and in lines whose fields cannot be read or have the
// wrong number.
//
// # Bad lines
//
// Any other problem makes a single line bad: an invalid number, an unknown currency,
// more decimals than the currency has, an amount in both of two columns or in neither, a
// time with another layout, too few or too many fields, text after a closing quote, a
// NUL byte or one that is not UTF-8, a line above [MaxLine] bytes. If a quote is not
// closed within [MaxRecordLines] lines, or the fields up to its end do not fit the
// header, the line with the quote is bad, and reading continues at the next line.
//
// A bad line contains what could be read. Its amount is only known if
// [ports.SettlementLine].HasAmount is true: an empty or invalid amount is not 0.
package csvfile
