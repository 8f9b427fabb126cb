package names

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// If a word were in two tables, one of its meanings would be lost.
func TestTablesContainEachWordOnce(t *testing.T) {
	seen := map[string]bool{}
	titles, forms := rowsOf(titlesTable, ", "), rowsOf(formsTable, ", ")
	for _, rows := range [][][]string{titles, forms, rowsOf(businessTable, ", "), generations, tradingAs} {
		for _, row := range rows {
			for _, word := range row {
				word = strings.TrimLeft(word, marksOfRows)
				assert.False(t, seen[word], word)
				assert.Regexp(t, `^([A-Z]+|\p{Arabic}+)( [A-Z]+| \p{Arabic}+)*$`, word)
				seen[word] = true
			}
		}
	}
	assert.LessOrEqual(t, max(len(titles), len(forms)), 63, "a bit each")
	assert.Equal(t, "LTD", forms[0][0], "+ stands for the first row")
	assert.Equal(t, []string{"MR", "MRS"}, []string{titles[0][0], titles[1][0]}, "a couple")
}

// A phrase is written as the first word of its row, in its own place.
func TestPhrasesHaveRoom(t *testing.T) {
	for letters, entry := range theTables().phrases {
		assert.LessOrEqual(t, len(entry.as), len(letters), letters)
	}
}

// A name that the reader changes could never be found.
func TestNamesTableContainsWords(t *testing.T) {
	for _, row := range rowsOf(namesTable, " ") {
		for _, word := range row {
			var read parsedName
			read.read(theTables(), word)
			assert.Equal(t, 1, read.count, word)
			assert.LessOrEqual(t, read.size, maxWordLetters)
		}
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
		{"سلمي", []string{"SALMY", "SELMI"}, []string{"SALMA"}},
		{"وايل", []string{"WAEL", "WAIL"}, []string{"WALE"}},
		{"ايهاب", []string{"EHAB", "IHAB", "EIHAB"}, []string{"YEHAB"}},
		{"مرفت", []string{"MERVAT", "MIRFAT"}, []string{"MERAT"}},
		{"شيرين", []string{"SHERIN", "SHIRIN", "SHERINE", "SHEREEN"}, []string{"SHARON", "SHERENE"}},
		{"عمري", []string{"OMARY", "AMRI"}, []string{"MARY", "OMRA"}},
	}
	for _, row := range rows {
		for _, name := range row.latin {
			assert.True(t, transliterates([]byte(row.arabic), []byte(name), 0), "%s %s", row.arabic, name)
		}
		for _, name := range row.others {
			assert.False(t, transliterates([]byte(row.arabic), []byte(name), 0), "%s %s", row.arabic, name)
		}
	}
}
