package sandbox

import "github.com/corridor-go/corridor/ports"

// published contains one day's mids, 1 base = mid quote.
//
// The USD rows are from ExchangeRate-API (www.exchangerate-api.com), the answer to GET
// /v6/…/latest/USD with time_last_update_unix 1769126401, which is
// 2026-01-23T00:00:01Z, transcribed from a public copy. For comparison, the Central
// Bank of Kenya's list of 2026-01-22 has 129.02 KES for the dollar, 151.26 for the euro
// and 173.32 for the pound.
//
// All other rows are derived from them: (USD/quote) / (USD/base), rounded half-even to
// 10 significant digits, without trailing zeros.
var published = []struct {
	pair ports.Pair
	mid  string
}{
	{ports.Pair{Base: "USD", Quote: "EUR"}, "0.8523"},
	{ports.Pair{Base: "USD", Quote: "GBP"}, "0.7426"},
	{ports.Pair{Base: "USD", Quote: "ZAR"}, "16.1563"},
	{ports.Pair{Base: "USD", Quote: "NGN"}, "1420.3537"},
	{ports.Pair{Base: "USD", Quote: "KES"}, "129.0004"},
	{ports.Pair{Base: "USD", Quote: "GHS"}, "10.8944"},
	{ports.Pair{Base: "USD", Quote: "EGP"}, "47.1269"},
	{ports.Pair{Base: "USD", Quote: "XOF"}, "559.0579"},
	{ports.Pair{Base: "EUR", Quote: "USD"}, "1.173295788"},
	{ports.Pair{Base: "EUR", Quote: "GBP"}, "0.8712894521"},
	{ports.Pair{Base: "EUR", Quote: "ZAR"}, "18.95611874"},
	{ports.Pair{Base: "EUR", Quote: "NGN"}, "1666.495013"},
	{ports.Pair{Base: "EUR", Quote: "KES"}, "151.355626"},
	{ports.Pair{Base: "EUR", Quote: "GHS"}, "12.78235363"},
	{ports.Pair{Base: "EUR", Quote: "EGP"}, "55.29379327"},
	{ports.Pair{Base: "EUR", Quote: "XOF"}, "655.9402792"},
	{ports.Pair{Base: "GBP", Quote: "USD"}, "1.346619984"},
	{ports.Pair{Base: "GBP", Quote: "EUR"}, "1.147724212"},
	{ports.Pair{Base: "GBP", Quote: "ZAR"}, "21.75639644"},
	{ports.Pair{Base: "GBP", Quote: "NGN"}, "1912.676677"},
	{ports.Pair{Base: "GBP", Quote: "KES"}, "173.7145166"},
	{ports.Pair{Base: "GBP", Quote: "GHS"}, "14.67061675"},
	{ports.Pair{Base: "GBP", Quote: "EGP"}, "63.46202532"},
	{ports.Pair{Base: "GBP", Quote: "XOF"}, "752.8385403"},
	{ports.Pair{Base: "ZAR", Quote: "USD"}, "0.0618953597"},
	{ports.Pair{Base: "ZAR", Quote: "EUR"}, "0.05275341508"},
	{ports.Pair{Base: "ZAR", Quote: "GBP"}, "0.04596349412"},
	{ports.Pair{Base: "NGN", Quote: "USD"}, "0.0007040499842"},
	{ports.Pair{Base: "NGN", Quote: "EUR"}, "0.0006000618015"},
	{ports.Pair{Base: "NGN", Quote: "GBP"}, "0.0005228275182"},
	{ports.Pair{Base: "KES", Quote: "USD"}, "0.007751913948"},
	{ports.Pair{Base: "KES", Quote: "EUR"}, "0.006606956257"},
	{ports.Pair{Base: "KES", Quote: "GBP"}, "0.005756571297"},
	{ports.Pair{Base: "GHS", Quote: "USD"}, "0.09179027757"},
	{ports.Pair{Base: "GHS", Quote: "EUR"}, "0.07823285358"},
	{ports.Pair{Base: "GHS", Quote: "GBP"}, "0.06816346013"},
	{ports.Pair{Base: "EGP", Quote: "USD"}, "0.02121930362"},
	{ports.Pair{Base: "EGP", Quote: "EUR"}, "0.01808521248"},
	{ports.Pair{Base: "EGP", Quote: "GBP"}, "0.01575745487"},
	{ports.Pair{Base: "XOF", Quote: "USD"}, "0.001788723494"},
	{ports.Pair{Base: "XOF", Quote: "EUR"}, "0.001524529034"},
	{ports.Pair{Base: "XOF", Quote: "GBP"}, "0.001328306066"},
}
