package market

import "strings"

// numberingPlan contains a country's mobile numbers: all have nine digits after the
// country code, and the first three of them decide whether the block is assigned.
type numberingPlan struct {
	country, code string
	blocks        []block
}

// block is an inclusive range of leading digits.
type block struct{ first, last int }

// The plans are from libphonenumber's metadata, release 9.0.35 of 2026-07-16. Numbers are
// portable between networks in KEN and GHA, so a block does not identify the network.
var (
	kenyanPlan = numberingPlan{"KEN", "254", []block{
		{100, 108}, {110, 121}, {124, 124}, {130, 130}, {140, 145}, {180, 189}, {700, 799},
	}}
	ghanaianPlan = numberingPlan{"GHA", "233", []block{
		{200, 209}, {230, 249}, {256, 257}, {260, 299}, {500, 509}, {530, 579}, {591, 599},
	}}
	zimbabweanPlan = numberingPlan{"ZWE", "263", []block{
		{710, 729}, {731, 739}, {770, 791},
	}}
)

// MSISDN checks a mobile number with country code against the numbering plan of its
// country: KEN, GHA or ZWE (ITU-T E.164; libphonenumber's metadata, release 9.0.35). A
// leading + and spaces are accepted; canonical contains only the digits. ok is false for
// any other text: a national format, a fixed line, an unassigned block, another country.
// MSISDN does not allocate for canonical text.
func MSISDN(country, text string) (canonical string, ok bool) {
	for _, plan := range [...]*numberingPlan{&kenyanPlan, &ghanaianPlan, &zimbabweanPlan} {
		if plan.country == country {
			return plan.mobile(text)
		}
	}
	return "", false
}

func (p *numberingPlan) mobile(text string) (canonical string, ok bool) {
	const national = 9
	number := strings.TrimPrefix(compact(text), "+")
	if len(number) != len(p.code)+national || !strings.HasPrefix(number, p.code) || !allDigits(number) {
		return "", false
	}
	lead := number[len(p.code):]
	leading := int(lead[0]-'0')*100 + int(lead[1]-'0')*10 + int(lead[2]-'0')
	for _, b := range p.blocks {
		if b.first <= leading && leading <= b.last {
			return number, true
		}
	}
	return "", false
}

// mobileMoney accepts only mobile numbers of the plan.
func mobileMoney(plan *numberingPlan) identifierRule {
	problem := "must be a mobile number that starts with " + plan.code
	return func(text string, _ bankRef) (Finding, string) {
		number, ok := plan.mobile(text)
		if !ok {
			return Finding{}, problem
		}
		return wellFormed(number), ""
	}
}

// zimbabweanWallet accepts mobile numbers, which operators use as wallet numbers, and the
// identifiers of other institutions, whose form is not published. Text that looks like a
// Zimbabwean number must be a valid one.
func zimbabweanWallet(text string, _ bankRef) (Finding, string) {
	if number, ok := zimbabweanPlan.mobile(text); ok {
		return wellFormed(number), ""
	}
	text = compact(text)
	looksLikeOne := strings.HasPrefix(text, zimbabweanPlan.code) && allDigits(text)
	const shortest, longest = 4, 40
	if looksLikeOne || len(text) < shortest || len(text) > longest || !isWalletName(text) {
		return Finding{}, "must be a mobile number that starts with 263, or another wallet's 4 to 40 letters, digits, dots, hyphens and underscores"
	}
	return wellFormed(text), ""
}

func isWalletName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if letter := c | 0x20; !isDigit(c) && (letter < 'a' || letter > 'z') && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
