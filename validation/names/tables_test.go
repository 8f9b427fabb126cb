package names

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If a word were in two tables, one of its meanings would be lost.
func TestTablesContainEachWordOnce(t *testing.T) {
	seen := map[string]bool{"SR": true} // SISTER before a name, SENIOR after it
	titles := rowsOf(titlesTable, ", ")
	for _, rows := range [][][]string{titles, legalForms, rowsOf(businessTable, ", "), generations[:1]} {
		for _, row := range rows {
			for _, word := range row {
				word = strings.TrimLeft(word, "?+-")
				assert.False(t, seen[word], word)
				assert.Regexp(t, `^([A-Z]+|\p{Arabic}+)( [A-Z]+| \p{Arabic}+)*$`, word)
				seen[word] = true
			}
		}
	}
	assert.LessOrEqual(t, max(len(titles), len(legalForms)), 64, "a bit each")
}

// A row of one name, and a note without a reason, would say nothing.
func TestNamesTableContainsWholeRows(t *testing.T) {
	for _, row := range spellings {
		for _, word := range row {
			var read parsedName
			read.read(word)
			assert.Equal(t, 1, read.count, word)
			assert.LessOrEqual(t, read.size, maxWordLetters)
		}
	}
	for _, note := range namesApart {
		require.Len(t, note, 3, note)
		a, b := []byte(note[0]), []byte(note[1])
		assert.Equal(t, twoNames, relate(a, b), note)
		if len(a) > len(b) {
			a, b = b, a
		}
		assert.True(t, misspelt(a, b) || sameSound(a, b), "without the note they would match: %s", note)
	}
}

// Each Arabic name of the table is read as its usual Latin spellings, and as no
// neighbouring name.
func TestArabicNamesMatchOnlyTheirSpellings(t *testing.T) {
	rows := []struct {
		arabic string
		latin  []string
		others []string
	}{
		{"محمد", []string{"MOHAMED", "MUHAMMAD", "MOHAMMED", "MOUHAMED"}, []string{"AHMED", "MAHMOUD", "HAMED"}},
		{"احمد", []string{"AHMED", "AHMAD"}, []string{"MOHAMED", "HAMED", "AHMEDA"}},
		{"محمود", []string{"MAHMOUD", "MAHMUD", "MAHMOOD"}, []string{"MOHAMED", "MAHMED"}},
		{"حسين", []string{"HUSSEIN", "HUSSAIN", "HOSSEIN", "HUSEIN"}, []string{"HASSAN", "HASAN", "HUSSEINA"}},
		{"حسن", []string{"HASSAN", "HASAN"}, []string{"HUSSEIN", "HASSANA"}},
		{"سمير", []string{"SAMIR", "SAMEER"}, []string{"SAMAR", "SAMIRA", "SAMER"}},
		{"يوسف", []string{"YOUSSEF", "YUSUF", "YOUSEF"}, []string{"YASSER"}},
		{"عمر", []string{"OMAR", "UMAR"}, []string{"AMRO", "AMIRA"}},
		{"عثمان", []string{"OTHMAN", "OSMAN", "USMAN", "UTHMAN"}, []string{"OSAMA"}},
		{"خالد", []string{"KHALED", "KHALID"}, []string{"KHALIDA", "WALID"}},
		{"طارق", []string{"TAREK", "TARIQ", "TARIK"}, []string{"TARIKA"}},
		{"شريف", []string{"SHERIF", "SHARIF", "CHERIF"}, []string{"SHERIFA"}},
		{"جمال", []string{"GAMAL", "JAMAL", "DJAMAL"}, []string{"JAMIL", "KAMAL"}},
		{"فاطمه", []string{"FATMA", "FATIMA", "FATIMAH"}, []string{"FATIM", "FATEN"}},
		{"مريم", []string{"MARIAM", "MARYAM"}, []string{"MARIAMA", "MARINA"}},
		{"طه", []string{"TAHA"}, []string{"TAHER"}},
		{"هاني", []string{"HANY", "HANI"}, []string{"HANIN"}},
		{"ليلي", []string{"LAILA", "LEILA", "LAYLA"}, []string{"LINA"}},
	}
	for _, row := range rows {
		for _, name := range row.latin {
			assert.True(t, transliterates([]byte(row.arabic), []byte(name)), "%s %s", row.arabic, name)
		}
		for _, name := range row.others {
			assert.False(t, transliterates([]byte(row.arabic), []byte(name)), "%s %s", row.arabic, name)
		}
	}
}
