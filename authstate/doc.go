// Package authstate keeps the states of transactions: what a provider said, in
// codes and texts of its own, becomes the authState of a transaction with an
// AuthFailureCode or an ErrorCode (SPEC 2.9 and 7.5). Package failures holds what
// each raw code means.
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
// A transaction is PENDING, then SUCCEEDED, FAILED or ERRORED; an end is final and
// keeps its time (I27). [Service.Record] applies what a provider reported,
// [Service.Fail] and [Service.Succeed] what the embedder found itself. Duplicate
// reports are ignored. A debit that lands after a timeout is recorded and raises an
// event of its own, but the transaction stays FAILED. [Transitions] is the whole
// rule.
package authstate
