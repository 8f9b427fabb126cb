// Package names compares names of account holders: it reports whether the name that a
// merchant supplies and the name that a provider returns can belong to the same holder
// (SPEC 2.7). Every function is pure.
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
// # How names are compared
//
// Both names are parsed into words without case, accents, titles and legal forms. Words
// are paired from the strongest kind of agreement to the weakest: same letters, usual
// spelling, words written as one, Arabic read as Latin, typing error, masked letters,
// initial, truncated by a bank's field. Each rule that was needed costs points. A name
// that a rule calls different does not match at any threshold. [Rules] returns the rules
// with an example of each.
//
// # Sources
//
// No standard defines how banks write names. The tables of titles, legal forms, spellings
// and transliterations were written by hand for the markets of SPEC 2.7: Egypt, Ghana,
// Kenya, Nigeria, South Africa and Zimbabwe. Characters are decomposed by Unicode's NFKD
// (UAX #15).
package names
