package banks

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const header = "code,name,aliases,nip,swift,digits,phone,p,q,source,confidence,checked,note\n"

func TestATableIsParsedIntoBanks(t *testing.T) {
	rows, err := parseTable("NGA", []byte(header+
		"100004,OPay,999992,100004,,10 11,yes,1,,a b,single,2026-11-28,\"a wallet, not a bank\"\n"+
		"044,\"Access, Bank\",,,ABNGNGLA,,,,,a,agreed,2026-11-21,\n"))
	require.NoError(t, err)
	assert.Equal(t, []Bank{
		{
			Country: "NGA", Code: "100004", Name: "OPay", Aliases: []string{"999992"}, NIP: "100004",
			Digits: []int{10, 11}, PhoneAccounts: true, Providers: map[string]string{"p": "1"}, Source: "a b", Confidence: Single,
			Checked: "2026-11-28", Note: "a wallet, not a bank",
		},
		{
			Country: "NGA", Code: "044", Name: "Access, Bank", Aliases: []string{}, SWIFT: "ABNGNGLA",
			Digits: []int{}, Providers: map[string]string{}, Source: "a", Confidence: Agreed, Checked: "2026-11-21",
		},
	}, rows)
}

func TestAnUnreadableTableIsRejected(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "no header"},
		"columns in disorder": {"name,code,aliases,nip,swift,digits,phone,source,confidence,checked,note\n", "header is"},
		"no confidence":       {"code,name,aliases,nip,swift,digits,phone,source,checked,note\n", "header is"},
		"no note":             {"code,name,aliases,nip,swift,digits,phone,source,confidence,checked\n", "header is"},
		"too few columns":     {"code,name\n", "header is"},
		"short row":           {header + "044,Access\n", "wrong number of fields"},
		"open quote":          {header + "\"044\n", "quote"},
		"digits in words":     {header + "044,A,,,,ten,,,,a,agreed,,\n", "row 1: digits"},
		"phone not yes":       {header + "044,A,,,,10,no,,,a,agreed,,\n", `phone is "no"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readTables(fstest.MapFS{"data/NGA.csv": {Data: []byte(c.text)}})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "data/NGA.csv")
		})
	}
}

func TestOnlyKenyaHasLongerForms(t *testing.T) {
	directory := newDirectory([]Bank{{Country: "KEN", Code: "68"}, {Country: "ZZZ", Code: "68"}})
	for _, form := range []string{"0068", "68000"} {
		_, ok := directory.find("KEN", form)
		assert.True(t, ok, form)
		_, ok = directory.find("ZZZ", form)
		assert.False(t, ok, form)
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte(header + "044,Access Bank,000014,000014,ABNGNGLA,10,yes,044,,a,agreed,2026-11-28,\n"))
	f.Add([]byte("code,name,aliases,nip,swift,digits,phone,source,confidence,checked,note\n"))
	f.Add([]byte(header + "044,A,,,,-1 99999999999999999999,,,,,,,\n"))
	f.Add([]byte("\xff\x00,\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := parseTable("NGA", text)
		if err != nil {
			return
		}
		directory := newDirectory(rows)
		for _, bank := range rows {
			if _, ok := directory.find("NGA", bank.Code); !ok {
				t.Errorf("row %q is not found by its code", bank.Code)
			}
		}
	})
}
