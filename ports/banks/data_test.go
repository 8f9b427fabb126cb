package banks

import (
	"encoding/csv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func shippedRows(t *testing.T) []Bank {
	t.Helper()
	rows, err := readTables(files)
	require.NoError(t, err)
	return rows
}

// sourceKeys reads sources.csv.
func sourceKeys(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.Open("sources.csv")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, record := range records[1:] {
		assert.NotContains(t, record, "", "a source has an empty cell")
		assert.False(t, keys[record[0]], "%s is listed twice", record[0])
		keys[record[0]] = true
	}
	return keys
}

func TestTheTablesHaveNoMistakes(t *testing.T) {
	for _, complaint := range lint(shippedRows(t), sourceKeys(t)) {
		t.Error(complaint)
	}
}

func TestEverySourceIsUsed(t *testing.T) {
	unused := sourceKeys(t)
	for _, bank := range shippedRows(t) {
		for source := range strings.FieldsSeq(bank.Source) {
			delete(unused, source)
		}
	}
	assert.Empty(t, slices.Sorted(maps.Keys(unused)))
}

// Tables in order are easier to review as a diff.
func TestRowsAreInTheOrderOfCodes(t *testing.T) {
	last := map[string]string{}
	for _, bank := range shippedRows(t) {
		assert.Less(t, last[bank.Country], bank.Code, bank.Country)
		last[bank.Country] = bank.Code
	}
	assert.Len(t, last, len(shapes), "every market has a table")
}

func TestTheLinterFindsEachMistake(t *testing.T) {
	good := func() []Bank {
		rows := []Bank{
			{
				Country: "NGA", Code: "044", Name: "Access Bank", Aliases: []string{"000014"}, NIP: "000014",
				SWIFT: "ABNGNGLA", Digits: []int{10}, Providers: map[string]string{"p": "044"}, Source: "a b", Confidence: Agreed,
			},
			{
				Country: "NGA", Code: "011", Name: "First Bank", Aliases: []string{"000016"}, NIP: "000016",
				Digits: []int{10}, Providers: map[string]string{"p": "011"}, Source: "a", Confidence: Single,
			},
			{Country: "NGA", Code: "950211", Name: "Kuda", Digits: []int{10}, Source: "a", Confidence: Single},
			{Country: "NGA", Code: "100004", Name: "OPay", NIP: "100004", Digits: []int{10}, PhoneAccounts: true, Source: "a", Confidence: Single},
			{Country: "GHA", Code: "280", Name: "Access Bank", Source: "b", Confidence: Published},
			{Country: "KEN", Code: "68", Name: "Equity", Source: "b", Confidence: Published},
			{Country: "ZAF", Code: "632005", Name: "Absa", Digits: []int{8, 9}, Providers: map[string]string{"p": "044"}, Source: "b", Confidence: Published},
			{
				Country: "NGA", Code: "063", Name: "Diamond Bank", Digits: []int{10}, Providers: map[string]string{"p": "044"},
				Source: "a", Confidence: Single, Note: "merged into Access Bank (044) in 2019",
			},
		}
		for i := range rows {
			rows[i].Checked = "2026-11-28"
		}
		return rows
	}
	sources := map[string]bool{"a": true, "b": true}
	require.Empty(t, lint(good(), sources))

	const access, first, kuda, opay, ghana, kenya, absa, diamond = 0, 1, 2, 3, 4, 5, 6, 7
	for name, c := range map[string]struct {
		row   int
		plant func(bank *Bank)
		want  string
	}{
		"unknown country":          {access, func(b *Bank) { b.Country = "EGY" }, "unknown country"},
		"NGA of five digits":       {kuda, func(b *Bank) { b.Code = "50211" }, "the code does not match the market's form"},
		"ZAF without leading zero": {absa, func(b *Bank) { b.Code = "51001" }, "the code does not match the market's form"},
		"GHA region code":          {ghana, func(b *Bank) { b.Code = "281" }, "the code does not match the market's form"},
		"KEN long form":            {kenya, func(b *Bank) { b.Code = "0068" }, "the code does not match the market's form"},
		"full-width digits":        {kenya, func(b *Bank) { b.Code = "６８" }, "the code does not match the market's form"},
		"code twice":               {first, func(b *Bank) { b.Code = "044" }, "code 044 belongs to 044"},
		"alias is another's code":  {first, func(b *Bank) { b.Aliases = append(b.Aliases, "044") }, "code 044 belongs to 044"},
		"alias is another's alias": {first, func(b *Bank) { b.Aliases = append(b.Aliases, "000014") }, "code 000014 belongs to 044"},
		"alias is its own code":    {first, func(b *Bank) { b.Aliases = append(b.Aliases, "011") }, "code 011 belongs to 011"},
		"alias of the wrong form":  {first, func(b *Bank) { b.Aliases = append(b.Aliases, "035A") }, "alias 035A does not match the market's form"},
		"NIP twice":                {first, func(b *Bank) { b.NIP = "000014" }, "NIP code 000014 belongs to 044"},
		"NIP is not an alias":      {first, func(b *Bank) { b.Aliases = nil }, "NIP code 000016 is not an alias"},
		"NIP of two digits":        {first, func(b *Bank) { b.NIP = "16" }, "NIP code 16 does not have six digits"},
		"NIP outside Nigeria":      {ghana, func(b *Bank) { b.NIP = "300329" }, "NIP code outside Nigeria"},
		"made-up code canonical":   {opay, func(b *Bank) { b.Code = "999992" }, "neither the central bank's nor the NIP code"},
		"phones outside Nigeria":   {ghana, func(b *Bank) { b.PhoneAccounts = true }, "telephone accounts outside Nigeria"},
		"no name":                  {access, func(b *Bank) { b.Name = "" }, "name is empty"},
		"name not trimmed":         {access, func(b *Bank) { b.Name = "Access  Bank" }, "not trimmed"},
		"name twice":               {first, func(b *Bank) { b.Name = "ACCESS BANK" }, "name access bank belongs to 044"},
		"SWIFT of a branch":        {access, func(b *Bank) { b.SWIFT = "ABNGNGLAXXX" }, "SWIFT code ABNGNGLAXXX"},
		"SWIFT of Ghana":           {access, func(b *Bank) { b.SWIFT = "ABNGGHAC" }, "SWIFT code ABNGGHAC is not one of the country"},
		"SWIFT twice":              {first, func(b *Bank) { b.SWIFT = "ABNGNGLA" }, "SWIFT code ABNGNGLA belongs to 044"},
		"no source":                {access, func(b *Bank) { b.Source = " " }, "source is missing"},
		"unknown source":           {access, func(b *Bank) { b.Source = "a c" }, "source c is not in sources.csv"},
		"no confidence":            {access, func(b *Bank) { b.Confidence = "" }, "confidence"},
		"unknown confidence":       {access, func(b *Bank) { b.Confidence = "sure" }, `unknown confidence "sure"`},
		"no day":                   {access, func(b *Bank) { b.Checked = "" }, `checked is "", want a day`},
		"no such day":              {access, func(b *Bank) { b.Checked = "2026-02-30" }, `checked is "2026-02-30", want a day`},
		"checked in the future":    {access, func(b *Bank) { b.Checked = "2099-01-01" }, "checked is 2099-01-01, after the directory's version"},
		"note without content":     {access, func(b *Bank) { b.Note = "-" }, "note has no content"},
		"blank note":               {access, func(b *Bank) { b.Note = " " }, "note is not trimmed"},
		"note on an unknown bank":  {access, func(b *Bank) { b.Note = "parent of Nobody (999)" }, "note refers to 999"},
		"note on an alias":         {kuda, func(b *Bank) { b.Note = "owned by Access Bank (000014)" }, "note refers to 000014"},
		"note on itself":           {access, func(b *Bank) { b.Note = "merged into Access Bank (044) in 2019" }, "note refers to 044"},
		"merged into nobody":       {diamond, func(b *Bank) { b.Note = "merged in 2019" }, "note does not name the successor, its code and the year"},
		"merged in no year":        {diamond, func(b *Bank) { b.Note = "merged into Access Bank (044)" }, "note does not name the successor, its code and the year"},
		"successor's name is old":  {diamond, func(b *Bank) { b.Note = "merged into Intercontinental Bank (044) in 2019" }, "note does not call 044 Access Bank"},
		"merged and an alias":      {access, func(b *Bank) { b.Aliases = append(b.Aliases, "063") }, "code 063 belongs to 044"},
		"third bank's provider":    {diamond, func(b *Bank) { b.Providers["p"] = "011" }, "p code 011 belongs to 011"},
		"not merged, same code":    {diamond, func(b *Bank) { b.Note = "" }, "p code 044 belongs to 044"},
		"provider's code twice":    {first, func(b *Bank) { b.Providers["p"] = "044" }, "p code 044 belongs to 044"},
		"provider's code blank":    {first, func(b *Bank) { b.Providers["p"] = " 11" }, "p's code is empty or not trimmed"},
		"provider's code empty":    {first, func(b *Bank) { b.Providers["p"] = "" }, "p's code is empty or not trimmed"},
		"digits fall":              {absa, func(b *Bank) { b.Digits = []int{9, 8} }, "digits do not rise"},
		"digits twice":             {absa, func(b *Bank) { b.Digits = []int{9, 9} }, "digits do not rise"},
		"digits out of range":      {absa, func(b *Bank) { b.Digits = []int{100} }, "digits is 100, want 5 to 20"},
		"NUBAN of eleven digits":   {access, func(b *Bank) { b.Digits = []int{11} }, "a Nigerian account has 10 digits"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := good()
			c.plant(&rows[c.row])
			complaints := lint(rows, sources)
			assert.Contains(t, strings.Join(complaints, "\n"), c.want)
		})
	}
}
