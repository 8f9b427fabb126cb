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
// Both names are read into words without case and accents (read.go). What kind of holder
// they name is decided next (holder.go). Titles of people and legal forms of businesses
// are removed. Businesses are compared word by word (businesses.go). The words of people
// are paired from the strongest kind of agreement to the weakest (people.go, words.go):
// same letters, usual spelling, Arabic read as Latin, words written as one, typing error,
// masked letters, initial, truncated by a bank's field. Each rule that was needed costs
// points. A name that a rule calls different does not match at any threshold. [Rules]
// returns the rules with an example of each.
//
// # Sources
//
// No standard defines how banks write names. The tables of titles, legal forms, words of
// businesses and spellings (tables/*.txt) name their sources; they cover the markets of
// SPEC 2.7: Egypt, Ghana, Kenya, Nigeria, South Africa and Zimbabwe. Characters are
// decomposed by Unicode's NFKD (UAX #15).
package names
