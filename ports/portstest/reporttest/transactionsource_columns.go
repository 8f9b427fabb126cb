package reporttest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var sourceColumnChecks = []sourceCheck{
	{"the ten columns are there with their types", sourceHasTheTen},
	{"each column is described", sourceDescribes},
	{"the columns never change", sourceKeepsColumns},
	{"values are of their columns' types", sourceValuesFit},
	{"a transaction's code fits its status and its direction", sourceCodesFit},
}

// theTen are the columns of every source.
var theTen = []ports.Column{
	{Name: ports.ColumnTransactionID, Type: ports.ColumnText},
	{Name: ports.ColumnMerchantReference, Type: ports.ColumnText},
	{Name: ports.ColumnStatus, Type: ports.ColumnText},
	{Name: ports.ColumnDirection, Type: ports.ColumnText},
	{Name: ports.ColumnAmount, Type: ports.ColumnMoney},
	{Name: ports.ColumnCurrency, Type: ports.ColumnText},
	{Name: ports.ColumnMethod, Type: ports.ColumnText},
	{Name: ports.ColumnConnector, Type: ports.ColumnText},
	{Name: ports.ColumnCode, Type: ports.ColumnText},
	{Name: ports.ColumnCreatedAt, Type: ports.ColumnTime},
}

func sourceHasTheTen(k *sourceKit) {
	columns := k.Source.Columns()
	for _, want := range theTen {
		k.Case(want.Name, func() {
			if got := columns[k.column(want.Name)]; got.Type != want.Type {
				k.Fatalf("the column %s is of type %q, want %q", want.Name, got.Type, want.Type)
			}
		})
	}
	if got := columns[k.column(ports.ColumnAmount)].Currency; got != ports.ColumnCurrency {
		k.Fatalf("the currency of amount is in %q, want currency", got)
	}
}

func sourceDescribes(k *sourceKit) {
	columns := k.Source.Columns()
	seen := map[string]ports.ColumnType{}
	for _, c := range columns {
		if _, twice := seen[c.Name]; twice || strings.TrimSpace(c.Name) == "" {
			k.Fatalf("the name %q is empty or twice there", c.Name)
		}
		if strings.TrimSpace(c.Meaning) == "" {
			k.Fatalf("nobody says what the column %s means", c.Name)
		}
		seen[c.Name] = c.Type
	}
	for _, c := range columns {
		k.Case(c.Name, func() { k.describes(c, seen) })
	}
}

func (k *sourceKit) describes(c ports.Column, types map[string]ports.ColumnType) {
	switch c.Type {
	case ports.ColumnMoney:
		if types[c.Currency] != ports.ColumnText {
			k.Fatalf("the money column %s names no text column for its currency", c.Name)
		}
	case ports.ColumnText, ports.ColumnInteger, ports.ColumnTime:
		if c.Currency != "" {
			k.Fatalf("the column %s is no money and names a currency", c.Name)
		}
	default:
		k.Fatalf("the column %s is of the unknown type %q", c.Name, c.Type)
	}
}

func sourceKeepsColumns(k *sourceKit) {
	first := k.Source.Columns()
	was := slices.Clone(first)
	k.all()
	clear(first)
	k.Same(k.Source.Columns(), was, "the columns, after a look at the rows and a caller that wrote into what it got")
}

func sourceValuesFit(k *sourceKit) {
	columns := k.Source.Columns()
	for i, row := range k.all() {
		for j, c := range columns {
			if !fits(c.Type, row[j]) {
				k.Fatalf("row %d: the text of %s is no %s: %s", i, c.Name, c.Type, kit.Short(row[j]))
			}
			if c.Type == ports.ColumnMoney && row[j] != "" && !kit.IsCurrency(row[k.column(c.Currency)]) {
				k.Fatalf("row %d: %s has no currency in %s", i, c.Name, c.Currency)
			}
		}
		k.needed(i, row)
	}
}

// needed checks the columns that no transaction is without.
func (k *sourceKit) needed(i int, row ports.Row) {
	for _, name := range []string{ports.ColumnTransactionID, ports.ColumnAmount, ports.ColumnCurrency, ports.ColumnCreatedAt} {
		if row[k.column(name)] == "" {
			k.Fatalf("row %d has no %s", i, name)
		}
	}
}

// fits reports whether text is of the type; "" is no value, and of every type.
func fits(t ports.ColumnType, text string) bool {
	switch {
	case text == "" || t == ports.ColumnText:
		return true
	case t == ports.ColumnInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && strconv.FormatInt(n, 10) == text
	case t == ports.ColumnMoney:
		return isMoney(text)
	case t == ports.ColumnTime:
		at, err := time.Parse(ports.TimeLayout, text)
		return err == nil && at.Format(ports.TimeLayout) == text
	default:
		return false
	}
}

// isMoney reports whether text is plain decimal text, perhaps below zero.
func isMoney(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || pointed && !digits(fraction) {
		return false
	}
	return whole == "0" || whole[0] != '0'
}

func sourceCodesFit(k *sourceKit) {
	status, direction, code := k.column(ports.ColumnStatus), k.column(ports.ColumnDirection), k.column(ports.ColumnCode)
	for i, row := range k.all() {
		d := errcodes.Direction(row[direction])
		if !d.Valid() {
			k.Fatalf("row %d: the direction is %q", i, row[direction])
		}
		switch s := ports.TransactionStatus(row[status]); s {
		case ports.TransactionPending, ports.TransactionSucceeded:
			k.Same(row[code], "", "the code of a transaction that is "+row[status])
		case ports.TransactionFailed, ports.TransactionErrored:
			c := errcodes.TransactionCode(row[code])
			if known := c.Row(); !c.Known() || known.State != s.State() || !known.Fits(d) {
				k.Fatalf("row %d: a %s that is %s has the code %q (I24, I25)", i, d, s, row[code])
			}
		default:
			k.Fatalf("row %d: the status is %q", i, s)
		}
	}
}
