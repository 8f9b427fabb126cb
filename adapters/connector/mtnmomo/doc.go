// Package mtnmomo asks MTN Mobile Money (the MoMo Open API) about mobile money
// accounts in Ghana.
//
//	connector, err := mtnmomo.New(mtnmomo.Credentials{
//		SubscriptionKey:   subscriptionKey,
//		APIUser:           apiUser,
//		APIKey:            apiKey,
//		TargetEnvironment: "mtnghana",
//	}, nil)
//	if err != nil {
//		return err
//	}
//	answer, err := connector.Lookup(ctx, lookup)
//	// answer.HolderName is the name that MTN knows
//
// Or from the environment, by [FromEnv]: CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY,
// CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY,
// CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT, and CORRIDOR_MTNMOMO_BASE_URL for another
// address than the environment's own.
//
// # Answers
//
// GET …/accountholder/msisdn/{msisdn}/basicuserinfo gives the holder's names, and
// needs no consent. The code of an answer decides, not its status: MTN reports
// on accounts and on its configuration with a 500.
//
//   - Names, and a status that is ACTIVE or none, are found.
//   - Another status, such as BLOCKED, is unusable; one that is not known here is
//     failed.
//   - RESOURCE_NOT_FOUND and PAYEE_NOT_FOUND are unsupported, and the next
//     connector is asked. MTN knows its own wallets only: a number that it does
//     not find may have its wallet on another network, and the prefix does not
//     tell, since numbers are ported. So this connector never says not_found.
//   - NOT_ALLOWED and NOT_ALLOWED_TARGET_ENVIRONMENT are
//     errcodes.Configuration, as 401 and 403 are.
//   - Other codes are failed; with a 5xx, errcodes.Unavailable.
//
// The route …/active is not asked: it answers false for an unknown number and
// for an inactive wallet alike, and knows no name.
//
// # Tokens
//
// A token of POST /{product}/token/ serves all lookups until it is about to expire.
// When MTN refuses a token that earlier lookups used (401), it is replaced once and
// the lookup asks again; see httpcall.Tokens.
//
// # Sources
//
// Read on 2026-11-21: momodeveloper.mtn.com, Disbursements and Remittance,
// basicuserinfo, and momoapi.mtn.com, GetBasicUserinfo (the fields, no errors);
// momodeveloper.mtn.com/api-documentation/common-error (the codes); MTN's
// software kits (the route of the token and the sandbox's answers). Which code
// basicuserinfo returns for an unknown number, and the values of status beside
// ACTIVE, are assumed.
package mtnmomo
