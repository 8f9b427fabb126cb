package main

import (
	encodingcsv "encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/ports"
)

// formatRows compares the report writers with libraries that have no types and no
// protection against formulas.
func formatRows() []row {
	return []row{
		{
			name: "CSV, 12 columns", reference: "encoding/csv, the same rows",
			ours: csvOurs, ref: csvEncoding, goal: faster(0.9), allocs: 0,
		},
		{
			name: "XLSX, 12 columns", reference: "excelize's StreamWriter, the same rows",
			ours: xlsxOurs, ref: xlsxDirect, goal: faster(0.9), allocs: -1, fixed: sheetRows,
		},
	}
}

const (
	reportKept = 1_000  // distinct rows
	sheetRows  = 20_000 // per workbook, which is written whole in each round
)

// reportColumns are the columns of a transactions report.
var reportColumns = []ports.Column{
	{Name: "transactionId", Type: ports.ColumnText},
	{Name: "reference", Type: ports.ColumnText},
	{Name: "direction", Type: ports.ColumnText},
	{Name: "state", Type: ports.ColumnText},
	{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"},
	{Name: "currency", Type: ports.ColumnText},
	{Name: "settled", Type: ports.ColumnMoney, Currency: "settledCurrency"},
	{Name: "settledCurrency", Type: ports.ColumnText},
	{Name: "markupBps", Type: ports.ColumnInteger},
	{Name: "description", Type: ports.ColumnText},
	{Name: "createdAt", Type: ports.ColumnTime},
	{Name: "completedAt", Type: ports.ColumnTime},
}

func reportRows() [][]string {
	rows := make([][]string, reportKept)
	states := []string{"completed", "failed", "processing"}
	for i := range rows {
		at := time.Date(2026, 11, 20, 15, 0, i, i*int(time.Millisecond), time.UTC)
		const layout = "2006-01-02T15:04:05.000Z"
		rows[i] = []string{
			fmt.Sprintf("tx_06gzjg6rq0yb67wr3p9h%06d", i), fmt.Sprintf("order %d", i), []string{"payin", "payout"}[i%2],
			states[i%3], fmt.Sprintf("%d.%02d", i*37, i%100), "ZAR", fmt.Sprintf("-%d.%02d", i*2, i%100), "USD",
			strconv.Itoa(i % 300), "Café, table " + strconv.Itoa(i), at.Format(layout), at.Add(time.Minute).Format(layout),
		}
	}
	return rows
}

func csvRows() ports.RowWriter { return must(must(csv.New(nil)).Begin(io.Discard, reportColumns)) }

// csvOurs also measures the memory for whole files.
func csvOurs(made *setup) step {
	rows, w := reportRows(), csvRows()
	csvMemory(made, rows)
	return func(n int) {
		for i := range n {
			check(w.Write(rows[i%reportKept]))
		}
	}
}

func csvEncoding(*setup) step {
	rows, w := reportRows(), encodingcsv.NewWriter(io.Discard)
	w.UseCRLF = true
	return func(n int) {
		for i := range n {
			check(w.Write(rows[i%reportKept]))
		}
	}
}

// csvMemory prints the heap's peak over files of 1,000,000 rows, and of 10,000,000 unless
// the run is quick. A peak that grows with the rows is a missed goal.
func csvMemory(made *setup, rows [][]string) {
	const quick, flat = 3, 1 << 20 // rounds, bytes
	first := csvPeak(rows, 1_000_000)
	fmt.Fprintf(os.Stdout, "CSV: the heap's peak is %.2f MB at 1,000,000 rows (goal: flat)\n", megabytes(first))
	if rounds, err := strconv.Atoi(flag.Lookup("rounds").Value.String()); err != nil || rounds < quick {
		return
	}
	last := csvPeak(rows, 10_000_000)
	fmt.Fprintf(os.Stdout, "CSV: the heap's peak is %.2f MB at 10,000,000 rows (goal: flat)\n", megabytes(last))
	if last > first+flat {
		made.missf("the heap's peak is flat, measured %d and %d bytes", first, last)
	}
}

// csvPeak returns the peak growth of the heap in bytes.
func csvPeak(rows [][]string, n int) uint64 {
	const looks = 100
	before, _ := heap()
	w, peak := csvRows(), uint64(0)
	for i := range n {
		check(w.Write(rows[i%reportKept]))
		if i%(n/looks) == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	check(w.Close())
	return peak - min(peak, before)
}

func xlsxOurs(*setup) step {
	rows, writer := reportRows(), must(xlsx.New(nil))
	return func(n int) {
		w := must(writer.Begin(io.Discard, reportColumns))
		for i := range n {
			check(w.Write(rows[i%reportKept]))
		}
		check(w.Close())
	}
}

// xlsxDirect writes numbers as numbers, like corridor, but without checks and formats.
func xlsxDirect(*setup) step {
	rows := reportRows()
	return func(n int) {
		book := excelize.NewFile()
		defer book.Close()
		w := must(book.NewStreamWriter("Sheet1"))
		values := make([]any, len(reportColumns))
		for i := range n {
			for j, text := range rows[i%reportKept] {
				values[j] = bareValue(reportColumns[j].Type, text)
			}
			check(w.SetRow("A"+strconv.Itoa(i+1), values))
		}
		check(w.Flush())
		check(book.Write(io.Discard))
	}
}

func bareValue(t ports.ColumnType, text string) any {
	if t == ports.ColumnMoney || t == ports.ColumnInteger {
		return must(strconv.ParseFloat(text, 64))
	}
	return text
}
