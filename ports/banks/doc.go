// Package banks is a directory of the banks in the markets where corridor validates
// accounts. For each bank it has one canonical code, the name, and each provider's own
// code.
//
// An embedder lets the user choose a bank, and sends its code:
//
//	for _, bank := range banks.List("NGA") {
//		picker.Add(bank.Name, bank.Code)
//	}
//
// A connector translates the code into its provider's own. Without one it reports
// the lookup as unsupported, so that another connector is asked:
//
//	own, ok := banks.Code("paystack", "NGA", lookup.BankCode)
//
// # Codes
//
// A bank has several codes. The canonical one depends on the market:
//
//   - ZAF: the universal branch code, 6 digits.
//   - NGA: the central bank's code, 3 digits for banks. Other institutions have 5,
//     written with a leading 9 as in the standard for account numbers: 50211 is 950211.
//     If the central bank's code is not known, the code for instant payments (NIP), 6
//     digits: 100004.
//   - GHA: the central bank's institution code, 3 digits: the first two of the sort
//     code and a 0.
//   - KEN: the bank's code, 2 digits. The longer forms 00NN (PesaLink) and NNBBB (a
//     branch) refer to the same bank.
//   - EGY has no table: an IBAN contains its bank.
//
// A bank's other codes, as far as SPEC 2.7 allows their form, are its aliases: the NIP
// code, a code that a provider invented (999992 for OPay), the code of a bank that has
// merged with it. [Find], [Canonical] and [Code] accept them all.
//
// A bank that is missing here is not an error. Its accounts can be validated by any
// provider that accepts the code unchanged.
//
// # Data
//
// The tables are data/*.csv, one for each market, with a row for each bank. Columns
// between phone and source belong to providers and have their connectors' names. The
// source column has keys of sources.csv. An empty cell means that nothing reliable was
// found: no code is guessed.
//
// To add a bank, add its row in the order of codes, add a new source to sources.csv, set
// [Version] to the day, and run the tests. They check every row for dangerous mistakes:
// a code with two banks, two banks with the same code of a provider, a code of the wrong
// form. A new provider's column needs no change of Go code.
//
// Closed banks have no row, so that they cannot be chosen: Heritage (NGA 030) and Eyowo
// (50126), Spire (KEN 49), and banks that merged, whose codes are aliases where they are
// known to reach the right bank. Two codes are missing because two banks claim them: 305
// (Summit Bank, and formerly OPay) and 51253, which Paystack lists for Stellas and for YCT.
//
// The five-digit codes of Nigeria's other institutions are from Paystack's list. They
// rise with the alphabet of the names, as the central bank assigned them; still, an entry
// with no other source is marked [Single].
package banks
