// Package authstate tracks the states of transactions. It translates a provider's own
// codes and messages into the authState of a transaction, with an AuthFailureCode or an
// ErrorCode (SPEC 2.9 and 7.5). Package failures has the meaning of each raw code.
//
//	payments, err := authstate.New(
//		authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
//	if err != nil { … }
//	go payments.Run(ctx)
//	_, err = payments.Open(ctx, "shop-7", authstate.Opening{
//		ID: "pay-1", Direction: errcodes.Payin, RespondBy: time.Now().Add(2 * time.Minute),
//	})
//	if err != nil { … }
//	// The provider calls back:
//	done, err := payments.Record(ctx, "shop-7", "pay-1", authstate.Report{
//		Scheme: failures.MpesaDaraja, Code: string(callback.ResultCode), Message: callback.ResultDesc,
//	})
//	if err != nil { … }
//	// Of a ResultCode 1037, done.Transaction.Status is FAILED and its Code errcodes.FailureTimeout.
//
// The examples of [Service.Record] are whole callback handlers for M-Pesa, Paystack and
// Flutterwave.
//
// A transaction is PENDING, then SUCCEEDED, FAILED or ERRORED; these three are final, and
// EndedAt does not change (I27). [Service.Record] applies a provider's report,
// [Service.Fail] and [Service.Succeed] apply what the embedder found out itself.
// Duplicate reports are ignored. A debit that arrives after a timeout is recorded and
// raises [EventLatePayment], but the transaction stays FAILED. Refund it when a relay
// delivers that event; the result of Record is lost if the process dies. [Transitions]
// returns all rules.
package authstate
