package jsonl_test

import (
	"fmt"
	"os"

	"github.com/corridor-go/corridor/adapters/format/jsonl"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
	rows, err := jsonl.New().Begin(os.Stdout, []ports.Column{
		{Name: "reference", Type: ports.ColumnText},
		{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"},
		{Name: "currency", Type: ports.ColumnText},
		{Name: "items", Type: ports.ColumnInteger},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range [][]string{{"tx_1", "-12.50", "USD", "3"}, {"tx_2", "", "", "0"}} {
		if err := rows.Write(row); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(rows.Close())
	// Output:
	// {"reference":"tx_1","amount":"-12.50","currency":"USD","items":3}
	// {"reference":"tx_2","items":0}
	// <nil>
}
