// Package ecb is a price feed with the European Central Bank's daily euro foreign
// exchange reference rates, which the bank publishes in XML.
//
//	feed, err := ecb.New(ecb.DailyURL, nil)
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.At is the day of the rates, at 12:00 UTC
//
// The rates are for information only; the bank strongly discourages using them for
// transactions.
//
// # Prices
//
// The bank publishes the units of a currency for one euro. EUR to X is that text, byte
// for byte; X to EUR and X to Y are calculated from it and rounded half-even to 10
// significant digits. The feed offers all pairs of EUR and some 30 currencies. A
// currency without ports.MinorDigits is skipped: the bank may publish one that this
// version does not know yet, or one that ISO 4217 has withdrawn since. A change of the
// skipped currencies is logged.
//
// # Time
//
// The file contains a day and no time. The rates are of about 14:10 in Frankfurt (12:10
// UTC in summer, 13:10 in winter) and are published there at about 16:00. The time of a
// price is 12:00 UTC of its day: before the market's time, so that an old price is not
// taken for a fresher one. On TARGET holidays nothing is published. Prices declare
// [MaxAge], which spans the longest of these pauses.
//
// # Reading
//
// A call reads the source if the last read is older than [Config.RefreshEvery].
// Concurrent callers share the read and wait for it, unless the read before it failed:
// then they get the last valid price, with its own time, while the source is tried
// again every [Config.RetryEvery]. The caller decides how old a price may be.
//
// An answer is used as a whole or not at all. These are rejected: a status other than
// 200, redirects included; more than [Config.MaxBody] bytes; anything but the bank's
// XML; a day in the future, or before the current one; a rate or cross rate that
// ports.SetRate rejects; a repeated currency; more currencies than
// ports.MaxFeedCurrencies, with the euro and those to be skipped; none but those to be
// skipped.
package ecb
