package banks

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Version is the day of the directory's data. Results that used the directory contain it,
// so that they can be explained later.
const Version = "2026-11-28"

//go:embed data/*.csv
var files embed.FS

// The columns of every table, before and after those of the providers.
var (
	firstColumns = []string{"code", "name", "aliases", "nip", "swift", "digits", "phone"}
	lastColumns  = []string{"source", "confidence", "checked", "note"}
)

// readTables reads all tables of a file system, such as data/ZAF.csv for South Africa.
func readTables(tables fs.FS) ([]Bank, error) {
	paths, err := fs.Glob(tables, "data/*.csv")
	if err != nil {
		return nil, fmt.Errorf("banks: %w", err)
	}
	var all []Bank
	for _, path := range paths {
		text, err := fs.ReadFile(tables, path)
		if err != nil {
			return nil, fmt.Errorf("banks: %w", err)
		}
		country := strings.TrimSuffix(strings.TrimPrefix(path, "data/"), ".csv")
		rows, err := parseTable(country, text)
		if err != nil {
			return nil, fmt.Errorf("banks: %s: %w", path, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// parseTable parses one market's table. The linter in the tests checks its content.
func parseTable(country string, text []byte) ([]Bank, error) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("no header")
	}
	providers, err := providerColumns(records[0])
	if err != nil {
		return nil, err
	}
	rows := make([]Bank, 0, len(records)-1)
	for i, record := range records[1:] {
		bank, err := parseRow(country, providers, record)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		rows = append(rows, bank)
	}
	return rows, nil
}

func providerColumns(header []string) ([]string, error) {
	first, last := len(firstColumns), len(header)-len(lastColumns)
	if last < first || !slices.Equal(header[:first], firstColumns) || !slices.Equal(header[last:], lastColumns) {
		return nil, fmt.Errorf("header is %q, want %q, the providers, %q", header, firstColumns, lastColumns)
	}
	return header[first:last], nil
}

// parseRow parses one record, which is as long as the header: csv.Reader checks that.
func parseRow(country string, providers, record []string) (Bank, error) {
	digits, err := parseDigits(record[5])
	if err != nil {
		return Bank{}, err
	}
	phone := record[6] == "yes"
	if !phone && record[6] != "" {
		return Bank{}, fmt.Errorf(`phone is %q, want "yes" or ""`, record[6])
	}
	codes, last := record[len(firstColumns):], record[len(firstColumns)+len(providers):]
	return Bank{
		Country: country, Code: record[0], Name: record[1], Aliases: strings.Fields(record[2]),
		NIP: record[3], SWIFT: record[4], Digits: digits, PhoneAccounts: phone,
		Providers: providerCodes(providers, codes),
		Source:    last[0], Confidence: Confidence(last[1]), Checked: last[2], Note: last[3],
	}, nil
}

func parseDigits(cell string) ([]int, error) {
	fields := strings.Fields(cell)
	digits := make([]int, 0, len(fields))
	for _, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("digits: %w", err)
		}
		digits = append(digits, n)
	}
	return digits, nil
}

// providerCodes returns the cells that are not empty, by provider.
func providerCodes(providers, cells []string) map[string]string {
	codes := make(map[string]string, len(providers))
	for i, provider := range providers {
		if cells[i] != "" {
			codes[provider] = cells[i]
		}
	}
	return codes
}
