package xlsx_test

import (
	"bytes"
	"fmt"

	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
	writer, err := xlsx.New(nil)
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
	fmt.Println(rows.Write([]string{"=HYPERLINK(A1)", "-12.50", "USD"}), rows.Close())

	book, err := excelize.OpenReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(book.GetRows("report"))
	// Output:
	// <nil> <nil>
	// [[reference amount currency] [=HYPERLINK(A1) -12.50 USD]] <nil>
}
