// Package authstate tracks the states of transactions. It translates a provider's own
// codes and messages into the authState of a transaction, with an AuthFailureCode or an
// ErrorCode (SPEC 2.9 and 7.5). Package failures has the meaning of each raw code.
//
//	payments, err := authstate.New(
//		authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
//	if err != nil { … }
//	go payments.Run(ctx)
//	_, err = payments.Open(ctx, owner, authstate.Opening{ID: "pay-1", Direction: errcodes.Payin, RespondBy: in2Minutes})
//	if err != nil { … }
//	done, err := payments.Record(ctx, owner, "pay-1", authstate.Report{Scheme: failures.MpesaDaraja, Code: "1037"})
//	// done.Transaction.Status is FAILED, done.Transaction.Code errcodes.FailureTimeout
//
// A transaction is PENDING, then SUCCEEDED, FAILED or ERRORED; these three are final, and
// EndedAt does not change (I27). [Service.Record] applies a provider's report,
// [Service.Fail] and [Service.Succeed] apply what the embedder found out itself.
// Duplicate reports are ignored. A debit that arrives after a timeout is recorded and
// raises its own event, but the transaction stays FAILED. [Transitions] returns all rules.
package authstate
