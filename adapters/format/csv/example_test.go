package csv_test

import (
	"bytes"
	"fmt"

	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
	writer, err := csv.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	rows, err := writer.Begin(&file, []ports.Column{
		{Name: "reference", Type: ports.ColumnText},
		{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"},
		{Name: "currency", Type: ports.ColumnText},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows.Write([]string{"=HYPERLINK(A1)", "-12.50", "USD"}))
	fmt.Println(rows.Write([]string{"tx_2", "=1+1", "USD"}))
	fmt.Println(rows.Close())
	fmt.Printf("%q\n", file.String())
	// Output:
	// <nil>
	// invalid_request: row 2, column "amount": the text is not of type money
	// <nil>
	// "reference,amount,currency\r\n'=HYPERLINK(A1),-12.50,USD\r\n"
}
