// Package paystack asks Paystack about bank accounts in Nigeria, Ghana and South
// Africa.
//
//	connector, err := paystack.New(secretKey, nil)
//	if err != nil {
//		return err
//	}
//	answer, err := connector.Lookup(ctx, lookup)
//	// answer.HolderName is the name that the bank knows
//
// Or from the environment, by [FromEnv]: CORRIDOR_PAYSTACK_SECRET_KEY, and
// CORRIDOR_PAYSTACK_BASE_URL for another address than [DefaultBaseURL].
//
// # Nigeria and Ghana
//
// GET /bank/resolve gives the holder's name. Paystack documents no error of its
// own for it beside 401 and 404, and uses 400 and 422 for several things, so the
// message decides:
//
//   - "Could not resolve account name…" is not_found. Paystack says this of an
//     unknown account and of an unknown bank alike, even with the code
//     invalid_bank_code; the bank is known here, as its code is out of
//     ports/banks.
//   - "Unknown bank code…" is unsupported.
//   - "Test mode daily limit…" is try_later: a test key may look up three live
//     accounts a day.
//   - All others are failed: the next connector is asked.
//
// A 404 without Paystack's envelope is no answer at all: the route is missing
// for businesses of other countries.
//
// # South Africa
//
// POST /bank/validate compares the account with its holder's name and identity
// document and tells verdicts only. A lookup without both is unsupported, and
// not sent; so is a combination of account kind and document that Paystack does
// not describe. In this order:
//
//   - an account that is not open, or takes no credits, is unusable;
//   - "The provided bank account number is invalid" is not_found;
//   - accountHolderMatch false is a mismatch, verified true a match;
//   - what was not verified for another reason is failed.
//
// The match is of the identity document with the account, as the bank sees it.
// Paystack asks ZAR 3 for each validation, whatever comes of it, so
// BillsFailures is set there; /bank/resolve is free.
//
// # Left out
//
// Paystack resolves Ghanaian mobile money too, but wants the network's code, and
// numbers move between networks: their prefix does not tell.
//
// # Sources
//
// Read on 2026-11-21: paystack.com/docs/identity-verification/verify-account-number,
// paystack.com/docs/api/verification, paystack.com/docs/api/errors, Paystack's
// sample answers (github.com/PaystackOSS/doc-code-snippets) and OpenAPI
// (github.com/PaystackOSS/openapi). The messages of failed lookups are in none of
// them; they are from merchants' public code. The OpenAPI types account numbers
// and bank codes as integers, which would lose their leading zeros: here they are
// text.
package paystack
