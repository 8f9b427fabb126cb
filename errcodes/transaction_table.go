package errcodes

// transactionTable lists the codes of SPEC 7.5, in its order.
var transactionTable = []TransactionRow{
	{Code: Failure3DSDeclinedByUser, State: StateFailed, CardOnly: true, Meaning: "the cardholder cancelled 3-D Secure authentication", Message: "The cardholder cancelled the authentication"},
	{Code: Failure3DSLookupFailed, State: StateFailed, CardOnly: true, Meaning: "the lookup of the card's 3-D Secure enrolment failed", Message: "The card could not be checked for 3-D Secure"},
	{Code: Failure3DSNotCompleted, State: StateFailed, CardOnly: true, Meaning: "3-D Secure started and did not complete", Message: "The authentication was not completed"},
	{Code: FailureAcquirerRejected, State: StateFailed, Meaning: "the acquirer rejected the transaction", Message: "The acquirer rejected the transaction"},
	{Code: FailureCustomerRejected, State: StateFailed, Meaning: "the payer or the recipient rejected it: a declined prompt, a refused consent", Message: "The customer rejected the transaction"},
	{Code: FailureDeclined, State: StateFailed, Meaning: "declined by the provider without a specific reason; the fallback of failed", Message: "The transaction was declined"},
	{Code: FailureAccountNotActive, State: StateFailed, Meaning: "the account exists and is suspended, dormant or inactive", Message: "The account is not active"},
	{Code: FailureFraudBlocked, State: StateFailed, Meaning: "blocked for fraud by the provider, the scheme or screening", Message: "The transaction was blocked on suspicion of fraud"},
	{Code: FailurePayinInsufficientFunds, State: StateFailed, Direction: Payin, Meaning: "the payer has insufficient funds", Message: "The payer has insufficient funds"},
	{Code: FailureInvalidCard, State: StateFailed, Meaning: "the card's number, expiry or CVV was rejected", Message: "The card's details were rejected"},
	{Code: FailureInvalidData, State: StateFailed, Meaning: "the provider rejected the value of a field", Message: "The provider rejected a value of the request"},
	{Code: FailureInvalidPIN, State: StateFailed, Meaning: "the PIN is incorrect", Message: "The PIN is incorrect"},
	{Code: FailurePayinPayerInvalidAccount, State: StateFailed, Direction: Payin, Meaning: "the payer's account identifier is not recognised", Message: "The payer's account was not recognised"},
	{Code: FailurePayoutRecipientInvalidAccount, State: StateFailed, Direction: Payout, Meaning: "the recipient's account identifier is not recognised", Message: "The recipient's account was not recognised"},
	{Code: FailurePayinPayerLimitExceeded, State: StateFailed, Direction: Payin, Meaning: "the payer hit a limit for a transaction, a day or another period", Message: "The payer has reached a limit"},
	{Code: FailurePayinMerchantLimitExceeded, State: StateFailed, Direction: Payin, Meaning: "the merchant hit a limit of its acquiring account", Message: "The merchant has reached a limit"},
	{Code: FailurePayoutRecipientLimitExceeded, State: StateFailed, Direction: Payout, Meaning: "the recipient hit a credit limit on the destination rail", Message: "The recipient has reached a limit"},
	{Code: FailureTimeout, State: StateFailed, Advice: AdviceConfirm, Meaning: "the payer or the provider did not respond in time", Message: "No response came in time"},
	{Code: FailureTransactionNotFound, State: StateFailed, Meaning: "a follow-up referred to a transaction that the provider does not know", Message: "The provider does not know the transaction"},
	{Code: FailurePendingTransactionConflict, State: StateFailed, Meaning: "an earlier transaction of the same payer or session is still pending", Message: "An earlier transaction is still pending"},

	{Code: FailureInsufficientFunds, State: StateFailed, Deprecated: true, Upgrades: Upgrades{Payin: FailurePayinInsufficientFunds}, Meaning: "insufficient funds", Message: "Insufficient funds"},
	{Code: FailureInvalidAccount, State: StateFailed, Deprecated: true, Upgrades: Upgrades{FailurePayinPayerInvalidAccount, FailurePayoutRecipientInvalidAccount}, Meaning: "an account identifier is not recognised", Message: "The account was not recognised"},
	{Code: FailureLimitExceeded, State: StateFailed, Deprecated: true, Upgrades: limitUpgrades, Meaning: "a limit was hit", Message: "A limit was reached"},
	{Code: FailureDailyLimitExceeded, State: StateFailed, Deprecated: true, Upgrades: limitUpgrades, Meaning: "a daily limit was hit", Message: "A daily limit was reached"},
	{Code: FailureMonthlyLimitExceeded, State: StateFailed, Deprecated: true, Upgrades: limitUpgrades, Meaning: "a monthly limit was hit", Message: "A monthly limit was reached"},

	{Code: ErrorConfiguration, State: StateError, Meaning: "required configuration is missing or malformed", Message: "The service is not configured for this transaction"},
	{Code: ErrorDecryptionFailed, State: StateError, Meaning: "an encrypted payload could not be decrypted", Message: "An encrypted payload could not be read"},
	{Code: ErrorDownstream, State: StateError, Meaning: "a provider's error that maps to no specific code; the fallback of error", Message: "The provider reported an error"},
	{Code: ErrorInternal, State: StateError, Advice: AdviceConfirm, Meaning: "an unexpected internal error; terminal for the transaction", Message: "An internal error occurred"},
	{Code: ErrorNetwork, State: StateError, Advice: AdviceReconcile, Meaning: "the network to the provider failed; the final state is unknown", Message: "The provider could not be reached"},
	{Code: ErrorSystem, State: StateError, Advice: AdviceConfirm, Meaning: "a generic failure of the system; handled as internalError", Message: "A system error occurred"},
	{Code: ErrorValidation, State: StateError, Meaning: "a business rule rejected the transaction", Message: "A business rule rejected the transaction"},
	{Code: ErrorInvalidCurrency, State: StateError, Meaning: "the rail or method does not support the currency", Message: "The currency is not supported here"},
	{Code: ErrorInvalidAmount, State: StateError, Meaning: "the amount is malformed or unacceptable, whatever the minimum and the maximum", Message: "The amount is not valid"},
	{Code: ErrorAmountTooSmall, State: StateError, Meaning: "below the minimum of the rail, the method or the currency", Message: "The amount is below the minimum"},
	{Code: ErrorAmountTooLarge, State: StateError, Meaning: "above the maximum of the rail, the method or the currency", Message: "The amount is above the maximum"},
	{Code: ErrorPayinsNotAllowed, State: StateError, Direction: Payin, Meaning: "the merchant is not enabled for payins on this rail, currency or geography", Message: "Payins are not enabled here"},
	{Code: ErrorPayoutsNotAllowed, State: StateError, Direction: Payout, Meaning: "the merchant is not enabled for payouts on this rail, currency or geography", Message: "Payouts are not enabled here"},
	{Code: ErrorPayoutInsufficientFunds, State: StateError, Direction: Payout, Meaning: "the merchant's balance is insufficient for the payout", Message: "The merchant's balance is insufficient"},
	{Code: ErrorScreeningRejected, State: StateError, Meaning: "sanctions, AML or fraud screening blocked it; the rule is not disclosed", Message: "Screening rejected the transaction"},
	{Code: ErrorScreeningTimeout, State: StateError, Advice: AdviceRetry, Meaning: "screening did not complete in time; nothing was processed", Message: "Screening did not complete in time"},
	{Code: ErrorScreening, State: StateError, Meaning: "screening failed with an error", Message: "Screening failed"},
}

var limitUpgrades = Upgrades{FailurePayinPayerLimitExceeded, FailurePayoutRecipientLimitExceeded}

var transactionByCode = index(transactionTable, func(row TransactionRow) TransactionCode { return row.Code })
