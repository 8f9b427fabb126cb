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
// code, a clearing code (039 for Stanbic IBTC), a code that a provider invented (999992 for
// OPay). An alias stands for the same account numbers as the canonical code, and no public
// list has it for another bank. [Find], [Canonical] and [Code] accept them all.
//
// A bank that is missing here is not an error. Its accounts can be validated by any
// provider that accepts the code unchanged.
//
// # Data
//
// The tables are data/*.csv, one for each market, with a row for each bank. Columns
// between phone and source belong to providers and have their connectors' names. The
// source column has keys of sources.csv, which has the date of each source; the checked
// column has the day on which the row was last compared with them. An empty cell means
// that nothing reliable was found: no code is guessed.
//
// To add a bank, add its row in the order of codes, add a new source to sources.csv, set
// [Version] to the day, and run the tests. They check every row for dangerous mistakes:
// a code with two banks, two banks with the same code of a provider, a code of the wrong
// form. A new provider's column needs no change of Go code.
//
// Closed banks have no row, so that they cannot be chosen: Heritage (NGA 030), ASO Savings
// (NGA 401) and Eyowo (NGA 50126), Spire (KEN 49).
//
// A merged bank that lists still have keeps its row and its code, because its customers keep their account
// numbers: the check digit of a Titan Trust account fits 102 and never 032. [Bank.Note]
// names the bank that it merged into. If a provider serves its accounts under the
// successor's code only, the row has that code.
//
// A code is missing if lists have it for different banks: 305 (Summit Bank, and OPay at
// several providers), 50739 (Goodnews and Prospa), 51253 (Stellas and YCT), 312, 594 and
// 899, which are Paystack's codes for banks that are listed here with their NIP code.
// If a single list disagrees about a code of the central bank, the others count: 105 is
// PremiumTrust and 107 is Optimus, which TransferZero's list has the other way round.
//
// Some South African banks have two codes on public lists, and it is not known that both
// reach the same accounts. Each has a row of its own: 410105 and 410506, 352000 and 462105.
//
// The five-digit codes of Nigeria's other institutions are from Paystack's list. They
// rise with the alphabet of the names, as the central bank assigned them, except where a
// bank has changed its name; still, an entry with no other source is marked [Single], and
// package validation computes no check digit with its code.
package banks
