// Package banks is a directory of the banks of the markets that corridor
// validates accounts in: one canonical code for each, its name, and the code
// under which each provider knows it.
//
// An embedder offers the banks to choose from, and sends the chosen one's code:
//
//	for _, bank := range banks.List("NGA") {
//		picker.Add(bank.Name, bank.Code)
//	}
//
// A connector turns the code that it is given into its provider's own, and
// leaves a bank that has none to others:
//
//	own, ok := banks.Code("paystack", "NGA", lookup.BankCode)
//
// # Codes
//
// One bank goes by many codes. The canonical one is by market:
//
//   - ZAF: the universal branch code, 6 digits.
//   - NGA: the central bank's code, 3 digits for banks. Other institutions have
//     5, written with a leading 9 as the standard for account numbers computes
//     with them: 50211 is 950211. An institution whose central bank code is not
//     known goes by its code for instant payments (NIP), 6 digits: 100004.
//   - GHA: the central bank's institution code, 3 digits, the sort code's first
//     two and a 0.
//   - KEN: the bank's code, 2 digits. Its longer forms, 00NN on PesaLink and
//     NNBBB for a branch, name the same bank.
//   - EGY has no table: an IBAN carries its bank.
//
// A bank's other codes of the shapes that SPEC 2.7 takes are its aliases: the
// NIP code, a code that a provider made up (999992 for OPay), the code of a
// bank that merged into it. [Find], [Canonical] and [Code] take them all.
//
// A bank that is missing here is no error. Its account can be validated by any
// provider that takes the code as it stands.
//
// # Data
//
// The tables are data/*.csv, one a market, a row each bank; a column between
// phone and source is a provider's, by its connector's name. Where the cells
// come from is told by the source column, whose keys sources.csv explains. An
// empty cell means that nothing reliable was found: no code is guessed.
//
// To add a bank: add its row, with its source, in the order of codes, add a new
// source to sources.csv, set [Version] to the day, and run the tests. They read
// every row for what makes a directory dangerous: a code that names two banks,
// two banks that a provider cannot tell apart, a code of the wrong shape. A
// provider's new column is read as it stands; no Go changes for it.
//
// Banks that have closed have no row, so that nobody chooses them: Heritage
// (NGA 030) and Eyowo (50126), Spire (KEN 49), and those that merged, whose
// codes are aliases where it is known that they still lead to the right bank.
// Two codes are left out for being claimed twice: 305 (Summit Bank, and formerly
// OPay) and 51253, which Paystack lists for Stellas and for YCT.
//
// The five-digit codes of Nigeria's other institutions come from Paystack's
// list. They run with the alphabet of the names, as the central bank gave them
// out; still, an entry that only Paystack tells is marked [Single].
package banks
