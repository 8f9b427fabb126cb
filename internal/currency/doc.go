// Package currency answers two questions about a currency code: is it an
// active code of ISO 4217, and how many decimal digits has its minor unit.
//
//	digits, ok := currency.Exponent("KWD") // 3, true: 1 KWD is 1000 fils
//	_, ok = currency.Exponent("XAU")       // 0, false: gold has no minor unit
//	currency.Known("XAU")                  // true
//	currency.Known("BGN")                  // false: withdrawn with amendment 180
//	currency.Known("usd")                  // false: codes are upper case
//
// The data is List One (current currency and funds) of ISO 4217 as of
// amendment 180, in force since 2026-01-01, which withdrew BGN when Bulgaria
// took the euro. Metals, the SDR, XTS and XXX are active codes and therefore
// known, but have no minor unit, so no amount can be kept in one. Fund codes
// with a minor unit (CLF, UYW, CHE, …) are treated as any other currency:
// which pairs are offered is the price feed's decision, not this table's.
//
// To change the table, edit iso4217.csv and run go generate.
package currency
