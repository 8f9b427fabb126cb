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
// # Files
//
// A file is UTF-8 with or without a byte order mark, with lines ending in LF or CRLF,
// fields quoted as in RFC 4180, and a delimiter that is configured or found in the
// header. A path ending in .gz means that it is compressed with gzip. Every report
// reads the file again, as a stream: memory grows neither with the file nor with the
// length of a line.
//
// A header in which a column is missing or repeated, another encoding, and a compressed
// file that is incomplete are [errcodes.Unprocessable], and the message names the
// problem. A file that cannot be opened or read is [errcodes.Unavailable].
//
// # Bad lines
//
// Any other problem makes a single line bad: an invalid number, an unknown currency,
// more decimals than the currency has, a time with another layout, too few or too many
// fields, a NUL byte, a line above [MaxLine] bytes. If a quote is not closed within
// [MaxRecordLines] lines, or the fields up to its end do not fit the header, the line
// with the quote is bad, and reading continues at the next line.
//
// A bad line contains what could be read. Its amount is only known if
// [ports.SettlementLine].HasAmount is true: an empty or invalid amount is not 0.
package csvfile
