// Package sandbox has transactions and settlements for trying out reports and
// for demonstrations: each owner has some on every day since 1970 up to the
// moment, with the odd ones that an unmatched-settlements report is there to
// find. Nothing is kept: what a day holds follows from the owner and the day
// alone, so that any process gives the same. It must not be taken for real
// payments.
//
//	books, err := sandbox.New(nil)
//	if err != nil {
//		return err
//	}
//	service, err := report.New(report.Ports{
//		Transactions: books.Transactions(), Settlements: books.Settlements(), …
//	}, report.Policy{
//		SettleWithin: 72 * time.Hour,
//		Directions:   []errcodes.Direction{errcodes.Payin, errcodes.Payout}, // payouts are settled too
//	}, nil)
//
// Any merchantId is taken, and has all of the owner's rows: the data do not
// depend on it.
//
// # Transactions
//
// A day has from two thirds to four thirds of [Config.PerDay], 40 to 80 unless
// configured, in the currencies of adapters/feed/sandbox, over its markets' ways
// to pay. A transaction is there as soon as the clock passes its createdAt, is
// PENDING for up to ten minutes, and ends; a few wait for three days and end
// with a timeout. So a row of the last three days may still change its status,
// as real ones do.
//
// # Settlements
//
// A payment that succeeded, payouts too, is settled with its amount one to three
// days after it was created. On most days one payment, a payin, is settled
// otherwise. Which way depends on the day of the month on which it was created,
// in UTC:
//
//	day     what happens to one payment              what a report should find
//	2, 16   a line with an unknown reference besides  missing_transaction
//	3, 17   it is never settled                      missing_settlement
//	4, 18   it is settled with 2 % less              amount_mismatch
//	5, 19   it is settled in another currency        currency_mismatch
//	6, 20   it failed, and is settled                status_mismatch
//	7, 21   it is settled twice, half a day apart    duplicate_settlement
//	8, 22   it is settled in two parts               nothing: they add up
//	9, 23   settled, taken back, settled again       nothing: that is its amount
//	10, 24  an unreadable line besides               a bad line
//
// Each comes at least once in any 17 days, so a month has all of them.
package sandbox
