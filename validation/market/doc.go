// Package market contains the rules of the supported markets: which account types each
// country has, how their identifiers and bank codes are written, and which check digits
// can be computed (SPEC 2.7). It consists of data and pure functions.
//
//	found, err := market.Check(market.Request{
//		MerchantID: merchant, Country: "NGA", AccountType: "bank_account",
//		AccountIdentifier: "0690000032", BankCode: "044",
//	})
//	if err != nil {
//		return err // errcodes.InvalidRequest or errcodes.Unprocessable
//	}
//	if found.Verdict == market.CheckDigitFailed {
//		return errors.New(found.Reason) // no bank has such an account
//	}
//
// [Check] checks a whole request; [Rules] returns the table behind it. [IBAN], [NUBAN]
// and [MSISDN] check a single identifier. No rule can confirm that an account exists:
// that takes a provider and package validation.
//
// # Sources
//
//   - Markets and fields: SPEC 2.7.
//   - IBAN: ISO 13616 and SWIFT's registry; check digits by ISO 7064, MOD 97-10.
//   - NUBAN: Central Bank of Nigeria, Nigerian Uniform Bank Account Number, 2010,
//     revised 2020.
//   - MSISDN: ITU-T E.164; number blocks from libphonenumber 9.0.35.
//   - South Africa's check-digit verification: BankservAfrica licenses the table,
//     which is not included.
//   - Banks and their codes: package ports/banks.
//   - Merchant ids: RFC 9562.
//
// [TablesVersion] is the date of the tables.
package market
