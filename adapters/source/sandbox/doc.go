// Package sandbox generates transactions and settlements for trials and demonstrations
// of reports: each owner has some on every day from 1970 to now, with deviations for an
// unmatched-settlements report to find. Nothing is stored: the owner and the day
// determine a day's data, so every process generates the same. It must not be mistaken
// for real payments.
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
// Any merchantId is accepted and has all of the owner's rows: the data does not depend
// on it.
//
// # Transactions
//
// A day has two thirds to four thirds of [Config.PerDay], by default 40 to 80, in the
// currencies of adapters/feed/sandbox and with the ways to pay of their markets. A
// transaction exists once the clock passes its createdAt, is PENDING for up to ten
// minutes, and then ends; a few end after three days with a timeout. So rows of the
// last three days may still change their status, like real ones.
//
// # Settlements
//
// A payment that succeeded, payouts included, is settled with its amount one to three
// days after it was created. On most days one payin deviates, depending on the day of
// the month on which it was created, in UTC:
//
//	day     what happens to one payment              what a report should find
//	2, 16   another line with an unknown reference   missing_transaction
//	3, 17   it is never settled                      missing_settlement
//	4, 18   it is settled with 2 % less              amount_mismatch
//	5, 19   it is settled in another currency        currency_mismatch
//	6, 20   it failed, but is settled                status_mismatch
//	7, 21   it is settled twice, half a day apart    duplicate_settlement
//	8, 22   it is settled in two parts               nothing: they add up
//	9, 23   settled, taken back, settled again       nothing: that is its amount
//	10, 24  another line that cannot be read         a bad line
//
// Each occurs at least once in any 17 days, so every month has all of them.
package sandbox
