// Package csvfile reads what a provider has settled out of a text file with one
// line for each settlement, as banks and payment providers export them:
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
// # What a file may look like
//
// UTF-8 with or without a byte order mark, lines ending in LF or CRLF, fields
// quoted as in RFC 4180, a delimiter that is told or found in the header, and a
// path ending in .gz when it is compressed by gzip. It is read anew for every
// report, as a stream: memory does not grow with the file, nor with the length
// of a line.
//
// A header that lacks a column, or has it twice, another encoding, and a
// compressed file that is cut short are [errcodes.Unprocessable], and the message
// names the problem. A file that cannot be opened or read is
// [errcodes.Unavailable].
//
// # Bad lines
//
// Whatever else is wrong costs one line, which becomes a bad one: a number that
// is none, a currency that nobody knows, more decimals than the currency has, a
// time of another layout, too few or too many fields, a NUL byte, a line above
// [MaxLine] bytes. So does a quote that is opened and not closed within
// [MaxRecordLines] lines, or after which the fields do not fit the header: the
// line with the quote is bad, and reading goes on at the next.
//
// What else can be read of a bad line is there. Its amount is known only when
// [ports.SettlementLine].HasAmount says so: an empty or senseless amount is none,
// and never 0.
package csvfile
