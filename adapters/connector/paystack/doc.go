// Package paystack validates bank accounts in Nigeria, Ghana and South Africa through
// Paystack.
//
//	connector, err := paystack.New(secretKey, nil)
//	if err != nil {
//		return err
//	}
//	answer, err := connector.Lookup(ctx, lookup)
//	// answer.HolderName is the name that the bank knows
//
// [FromEnv] reads the key from CORRIDOR_PAYSTACK_SECRET_KEY. If
// CORRIDOR_PAYSTACK_BASE_URL is set, it is the address instead of [DefaultBaseURL].
//
// # Nigeria and Ghana
//
// GET /bank/resolve returns the holder's name. Paystack documents only the errors 401
// and 404 for it, and uses 400 and 422 for several things, so the message decides:
//
//   - "Could not resolve account name…" is not_found. Paystack returns it for an unknown
//     account and for an unknown bank, even with the code invalid_bank_code; the bank
//     is known here, since its code is from ports/banks.
//   - "Unknown bank code…" is unsupported.
//   - "Test mode daily limit…" is try_later: a test key may look up three live accounts
//     a day.
//   - All others are failed: the next connector is asked.
//
// A 404 without Paystack's envelope means that the route does not exist for this
// business, as in other countries. It is not an answer about the account.
//
// # South Africa
//
// POST /bank/validate compares the account with its holder's name and identity
// document, and returns only verdicts. A lookup without both is unsupported and not
// sent, and so is a combination of account kind and document that Paystack does not
// document. In this order:
//
//   - an account that is not open, or accepts no credits, is unusable;
//   - "The provided bank account number is invalid" is not_found;
//   - accountHolderMatch false is a mismatch, verified true a match;
//   - an account that is not verified for another reason is failed.
//
// The match is between the identity document and the account, according to the bank.
// Paystack charges ZAR 3 for each validation, whatever its result, so BillsFailures is
// set there; /bank/resolve is free.
//
// # Left out
//
// Paystack also resolves Ghanaian mobile money, but requires the network's code, which
// the prefix does not show, since numbers move between networks.
//
// # Sources
//
// Read on 2026-11-21: paystack.com/docs/identity-verification/verify-account-number,
// paystack.com/docs/api/verification, paystack.com/docs/api/errors, Paystack's sample
// answers (github.com/PaystackOSS/doc-code-snippets) and OpenAPI
// (github.com/PaystackOSS/openapi). They do not list the messages of failed lookups;
// those are from merchants' public code. The OpenAPI declares account numbers and bank
// codes as integers, which would lose leading zeros: here they are text.
package paystack
