// Package mtnmomo validates mobile money accounts in Ghana through MTN Mobile Money
// (the MoMo Open API).
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
// [FromEnv] reads the credentials from CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY,
// CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY and
// CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT. If CORRIDOR_MTNMOMO_BASE_URL is set, it is the
// address instead of the environment's own.
//
// # Answers
//
// GET …/accountholder/msisdn/{msisdn}/basicuserinfo returns the holder's names, without
// the holder's consent. The code in the answer decides, not the HTTP status: MTN
// reports problems of accounts and of its configuration with a 500.
//
//   - Names with the status ACTIVE or without a status are found.
//   - Another status, such as BLOCKED, is unusable; an unknown one is failed.
//   - RESOURCE_NOT_FOUND and PAYEE_NOT_FOUND are unsupported, and the next connector is
//     asked. MTN only knows its own wallets: an unknown number may have a wallet on
//     another network, which its prefix does not show, since numbers are ported. So
//     this connector never returns not_found.
//   - NOT_ALLOWED and NOT_ALLOWED_TARGET_ENVIRONMENT are errcodes.Configuration, like
//     401 and 403.
//   - Other codes are failed; with a 5xx, errcodes.Unavailable.
//
// The route …/active is not used: it returns false both for an unknown number and for
// an inactive wallet, and returns no name.
//
// # Tokens
//
// A token from POST /{product}/token/ is used for all lookups until shortly before it
// expires. If MTN rejects a token that earlier lookups used (401), it is replaced once
// and the lookup is sent again; see httpcall.Tokens.
//
// # Sources
//
// Read on 2026-11-21: momodeveloper.mtn.com, Disbursements and Remittance,
// basicuserinfo, and momoapi.mtn.com, GetBasicUserinfo (the fields, no errors);
// momodeveloper.mtn.com/api-documentation/common-error (the codes); MTN's SDKs (the
// route of the token and the sandbox's answers). Read on 2026-11-28: the failure reasons
// in momodevelopercommunity.mtn.com, which say that an account is blocked if
// PAYEE_NOT_ALLOWED_TO_RECEIVE is returned. Two things are assumed: the code that
// basicuserinfo returns for an unknown number, and the values of status other than
// ACTIVE.
package mtnmomo
