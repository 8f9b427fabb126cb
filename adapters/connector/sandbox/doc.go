// Package sandbox is an account connector for trials and demonstrations, without a
// provider: the last digits of the account's number decide the answer.
//
//	ends with   answer
//	0000        not found
//	0001        a failure, with a provider's code and message
//	0002        found, after 3 seconds
//	0003        none: it waits until the caller's context is done
//	0004        try later, in 30 seconds; the standby connector finds it at once
//	otherwise   found, held by AMA SERWAA MENSAH
//
// It serves all markets (SPEC 2.7) and every bank, known or not.
//
//	first, err := sandbox.New(nil)
//	if err != nil {
//		return err
//	}
//	standby, err := sandbox.New(&sandbox.Config{Standby: true})
//
// Do not use it to check accounts to which money will be sent.
package sandbox
