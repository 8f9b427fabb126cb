package main

import (
	"errors"

	"github.com/nyaruka/phonenumbers"

	"github.com/corridor-go/corridor/validation/market"
)

// ruleRows compares the account rules with the bare arithmetic, and the numbering plans
// with the library from whose metadata they come.
func ruleRows() []row {
	return []row{
		{
			name: "rules: EGY IBAN", reference: "bare modulo-97 loop, same text",
			ours: each(ibans, ibanOurs), ref: each(ibans, ibanBare), goal: within(2.5), allocs: 0,
		},
		{
			name: "rules: NUBAN", reference: "bare weighted sum, same text",
			ours: each(nubans, nubanOurs), ref: each(nubans, nubanBare), goal: within(3), allocs: 0,
		},
		{
			name: "rules: MSISDN", reference: "nyaruka/phonenumbers, parse and type",
			ours: each(msisdns, msisdnOurs), ref: each(msisdns, msisdnPeer), goal: faster(1), allocs: 0,
		},
	}
}

var (
	ibans = []string{
		"EG380019000500000000263180002", "EG290003012300000004567890123",
		"EG980037003600000000001005032", "EG390019000500000000263180002",
	}
	// Each is a bank code of three digits followed by the account number.
	nubans  = []string{"0441234567895", "0580123456785", "0572012345678", "0581234567895"}
	msisdns = []string{"254712345678", "254110123456", "254777123456", "254202345678"}
)

// each calls holds for the samples in turn. All except the last must pass.
func each(samples []string, holds func(text string) bool) side {
	return func(*setup) step {
		for i, text := range samples {
			if holds(text) != (i < len(samples)-1) {
				check(errors.New("a valid sample did not pass"))
			}
		}
		return func(n int) {
			for i := range n {
				passed = holds(samples[i%len(samples)])
			}
		}
	}
}

var passed bool //nolint:unused // keeps the compiler from dropping the work

func ibanOurs(text string) bool {
	_, verdict, _ := market.IBAN(text)
	return verdict == market.CheckDigitPassed
}

func ibanBare(text string) bool {
	remainder := 0
	for i := range len(text) {
		switch c := text[(i+4)%len(text)]; {
		case c <= '9':
			remainder = (remainder*10 + int(c-'0')) % 97
		default:
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		}
	}
	return remainder == 1
}

func nubanOurs(text string) bool {
	_, verdict, _ := market.NUBAN(text[:3], text[3:])
	return verdict == market.CheckDigitPassed
}

var nubanWeights = [...]int{3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3, 1}

func nubanBare(text string) bool {
	sum := 0
	for i := range len(text) {
		sum += int(text[i]-'0') * nubanWeights[i]
	}
	return sum%10 == 0
}

func msisdnOurs(text string) bool {
	_, ok := market.MSISDN("KEN", text)
	return ok
}

func msisdnPeer(text string) bool {
	number, err := phonenumbers.Parse("+"+text, "")
	return err == nil && phonenumbers.GetNumberType(number) == phonenumbers.MOBILE
}
