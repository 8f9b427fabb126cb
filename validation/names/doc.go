// Package names compares the names of account holders: it reports whether the
// name that a merchant supplies and the name that a provider returns can belong
// to the same holder (SPEC 2.7). Every function in it is pure.
//
//	thresholds := names.Thresholds{Match: 80} // zero fields are defaults
//	if err := thresholds.Check(); err != nil {
//		return err
//	}
//	got := names.Compare("Ama Mensah", "MENSAH, AMA SERWAA", thresholds)
//	if !got.Matches {
//		return fmt.Errorf("rule %s decided, score %d", got.Rule, got.Score)
//	}
//
// # The way of a comparison
//
// Both names are read into words without case, accents, titles and legal forms.
// Words are paired from the strongest kind of agreement to the weakest: same
// letters, usual spelling, Arabic read as Latin, words written as one, typing
// error, masked letters, initial, cut by a bank's field. What needed a rule
// costs points, and what one rule calls a different name no threshold can turn
// into a match. [Rules] lists the rules with an example of each.
//
// # Sources
//
// No standard says how banks write names. The tables of titles, legal forms,
// spellings and transliterations are written by hand for the markets of SPEC
// 2.7: Egypt, Ghana, Kenya, Nigeria, South Africa and Zimbabwe. Letters are
// taken apart by Unicode's NFKD (UAX #15).
package names
