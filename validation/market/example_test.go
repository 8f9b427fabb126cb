package market_test

import (
	"errors"
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/validation/market"
)

func Example() {
	found, err := market.Check(market.Request{
		MerchantID: "7f9c24e8-3b12-4fef-91e0-56a2d7c8b9a0", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: "069 000 0032", BankCode: "044",
	})
	fmt.Println(found.Account.Identifier, found.Verdict, err)
	// Output: 0690000032 check_digit_passed <nil>
}

func ExampleCheck() {
	found, err := market.Check(market.Request{
		MerchantID: "7f9c24e8-3b12-4fef-91e0-56a2d7c8b9a0", Country: "KEN", AccountType: "mobile_money",
		AccountIdentifier: "+254 712 345 678",
	})
	fmt.Println(found.Account.Identifier, found.Verdict, err)

	_, err = market.Check(market.Request{Country: "KEN", AccountType: "mobile_money", AccountIdentifier: "0712345678"})
	if details, ok := errors.AsType[errcodes.FieldDetails](err); ok {
		for _, f := range details.Fields {
			fmt.Println(f.Name, f.Reason)
		}
	}
	// Output:
	// 254712345678 well_formed <nil>
	// merchantId is missing
	// accountIdentifier must be a mobile number that starts with 254
}

func ExampleRules() {
	for _, m := range market.Rules() {
		if m.CheckDigit {
			fmt.Println(m.Market, "-", m.Identifier.Text)
		}
	}
	// Output:
	// NGA bank_account - NUBAN: 9 digits and a check digit
	// EGY bank_account - IBAN: EG, 2 check digits and 25 digits
}

// The example is from SWIFT's registry, as printed and with its last digits swapped.
func ExampleIBAN() {
	fmt.Println(market.IBAN("EG38 0019 0005 0000 0000 2631 8000 2"))
	fmt.Println(market.IBAN("eg380019000500000000263180020"))
	fmt.Println(market.IBAN("GB29NWBK60161331926819"))
	// Output:
	// EG380019000500000000263180002 check_digit_passed true
	// EG380019000500000000263180020 check_digit_failed true
	//   false
}

// The central bank's example has serial 000001457 at bank 011.
func ExampleNUBAN() {
	fmt.Println(market.NUBAN("011", "0000014579"))
	fmt.Println(market.NUBAN("011", "0000014578"))
	fmt.Println(market.NUBAN("000014", "0000014578"))
	// Output:
	// 0000014579 check_digit_passed true
	// 0000014578 check_digit_failed true
	// 0000014578 well_formed true
}

func ExampleMSISDN() {
	fmt.Println(market.MSISDN("GHA", "+233 24 123 4567"))
	fmt.Println(market.MSISDN("GHA", "233302123456")) // a fixed line in Accra
	// Output:
	// 233241234567 true
	//  false
}
