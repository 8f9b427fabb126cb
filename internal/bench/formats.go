package main

import (
	encodingcsv "encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/ports"
)

// formatRows hold the report writers to the libraries that know no types and
// guard against no formula.
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
	reportKept = 1_000  // different rows
	sheetRows  = 20_000 // of a workbook, which is written whole in each round
)

// reportColumns are those of a report over transactions.
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

func reportRows() []ports.Row {
	rows := make([]ports.Row, reportKept)
	states := []string{"completed", "failed", "processing"}
	for i := range rows {
		at := time.Date(2026, 11, 20, 15, 0, i, i*int(time.Millisecond), time.UTC)
		const layout = "2006-01-02T15:04:05.000Z"
		rows[i] = ports.Row{
			fmt.Sprintf("tx_06gzjg6rq0yb67wr3p9h%06d", i), fmt.Sprintf("order %d", i), []string{"payin", "payout"}[i%2],
			states[i%3], fmt.Sprintf("%d.%02d", i*37, i%100), "ZAR", fmt.Sprintf("-%d.%02d", i*2, i%100), "USD",
			strconv.Itoa(i % 300), "Café, table " + strconv.Itoa(i), at.Format(layout), at.Add(time.Minute).Format(layout),
		}
	}
	return rows
}

func csvRows(w io.Writer) (ports.RowWriter, error) {
	writer, err := csv.New(nil)
	if err != nil {
		return nil, err
	}
	return writer.Begin(w, reportColumns)
}

// csvOurs also looks at the memory that whole files take.
func csvOurs() (subject, error) {
	rows := reportRows()
	w, err := csvRows(io.Discard)
	if err != nil {
		return subject{}, err
	}
	err = csvMemory(rows)
	return subject{func(n int) error {
		for i := range n {
			if err := w.Write(rows[i%reportKept]); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, err
}

func csvEncoding() (subject, error) {
	rows := reportRows()
	w := encodingcsv.NewWriter(io.Discard)
	w.UseCRLF = true
	return subject{func(n int) error {
		for i := range n {
			if err := w.Write(rows[i%reportKept]); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, nil
}

// csvMemory prints the peak of the heap over files of 1,000,000 rows, and of
// 10,000,000 unless it is to be quick. Growth with the rows is a missed goal.
func csvMemory(rows []ports.Row) error {
	const quick, flat = 3, 1 << 20 // rounds, bytes
	sizes := []int{1_000_000}
	if rounds, err := strconv.Atoi(flag.Lookup("rounds").Value.String()); err == nil && rounds >= quick {
		sizes = append(sizes, 10_000_000)
	}
	var peaks []uint64
	var told []string
	for _, n := range sizes {
		peak, err := csvPeak(rows, n)
		if err != nil {
			return err
		}
		peaks = append(peaks, peak)
		told = append(told, fmt.Sprintf("%.2f MB at %d rows", megabytes(peak), n))
	}
	fmt.Fprintf(os.Stdout, "CSV: the heap's peak is %s (goal: flat)\n", strings.Join(told, ", "))
	if last := peaks[len(peaks)-1]; last > peaks[0]+flat {
		return missedGoal(fmt.Sprintf("the heap's peak is flat, measured %v bytes", peaks))
	}
	return nil
}

// csvPeak gives the most that lay in the heap beyond what lay there before.
func csvPeak(rows []ports.Row, n int) (uint64, error) {
	const looks = 100
	before, _ := heap()
	w, err := csvRows(io.Discard)
	if err != nil {
		return 0, err
	}
	var peak uint64
	for i := range n {
		if err := w.Write(rows[i%reportKept]); err != nil {
			return 0, err
		}
		if i%(n/looks) == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	return peak - min(peak, before), w.Close()
}

func xlsxOurs() (subject, error) {
	rows := reportRows()
	writer, err := xlsx.New(nil)
	return subject{func(n int) error {
		w, err := writer.Begin(io.Discard, reportColumns)
		if err != nil {
			return err
		}
		for i := range n {
			if err := w.Write(rows[i%reportKept]); err != nil {
				return err
			}
		}
		return w.Close()
	}, noClose}, err
}

// xlsxDirect writes numbers as numbers, like ours, but checks and formats none.
func xlsxDirect() (subject, error) {
	rows := reportRows()
	return subject{func(n int) error {
		book := excelize.NewFile()
		defer book.Close()
		w, err := book.NewStreamWriter("Sheet1")
		if err != nil {
			return err
		}
		values := make([]any, len(reportColumns))
		for i := range n {
			for j, text := range rows[i%reportKept] {
				if values[j], err = bareValue(reportColumns[j].Type, text); err != nil {
					return err
				}
			}
			if err := w.SetRow("A"+strconv.Itoa(i+1), values); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return book.Write(io.Discard)
	}, noClose}, nil
}

func bareValue(t ports.ColumnType, text string) (any, error) {
	if t == ports.ColumnMoney || t == ports.ColumnInteger {
		return strconv.ParseFloat(text, 64)
	}
	return text, nil
}
