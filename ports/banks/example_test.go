package banks_test

import (
	"fmt"

	"github.com/corridor-go/corridor/ports/banks"
)

// A bank picker shows the name and sends the code.
func ExampleList() {
	for _, bank := range banks.List("ZAF")[:3] {
		fmt.Println(bank.Code, bank.Name)
	}
	// Output:
	// 632005 Absa Bank
	// 410105 Access Bank South Africa
	// 410506 Access Bank South Africa (formerly Bank of Athens)
}

// A connector sends its provider's own code.
func ExampleCode() {
	own, ok := banks.Code("paystack", "NGA", "100004")
	fmt.Println(own, ok)
	own, ok = banks.Code("flutterwave", "GHA", "280")
	fmt.Println(own, ok)
	_, ok = banks.Code("paystack", "KEN", "68")
	fmt.Println(ok)
	// Output:
	// 999992 true
	// GH280100 true
	// false
}

// An instant-payment code and the central bank's code belong to the same bank.
func ExampleCanonical() {
	fmt.Println(banks.Canonical("NGA", "000014"), banks.Canonical("KEN", "68000"), banks.Canonical("NGA", "unknown"))
	// Output: 044 68 unknown
}

func ExampleFind() {
	bank, ok := banks.Find("NGA", "999992")
	fmt.Println(bank.Name, bank.Code, bank.PhoneAccounts, ok)
	// Output: OPay 100004 true true
}

func ExampleCountries() {
	fmt.Println(banks.Countries())
	// Output: [GHA KEN NGA ZAF]
}
