package names

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A word that parsing changes could never be found in a table.
func TestNameTablesContainParsedWords(t *testing.T) {
	for _, rows := range [][][]string{spellings, namesApart} {
		for _, row := range rows {
			for _, word := range row {
				var read parsedName
				read.read(word)
				assert.Equal(t, word, string(read.letters[:read.size]))
				assert.LessOrEqual(t, len(word), maxWordLetters)
			}
			assert.Greater(t, len(row), 1)
		}
	}
	for _, rows := range [][][]string{titleWords, legalForms, tradeWords, generationWords} {
		for _, row := range rows {
			for _, word := range row {
				assert.True(t, isLatinWord([]byte(word)), word)
			}
		}
	}
}

// If a word were in two tables, one of its meanings would be lost.
func TestNameTablesContainEachWordOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, rows := range [][][]string{titleWords, legalForms, tradeWords, generationWords, spellings} {
		for _, row := range rows {
			for _, word := range row {
				assert.False(t, seen[word], word)
				seen[word] = true
			}
		}
	}
	assert.LessOrEqual(t, max(len(titleWords), len(legalForms)), 32, "a bit each")
}

// Each row is needed: without it the two names would match.
func TestNamesApartWouldMatchWithoutTheTable(t *testing.T) {
	for _, row := range namesApart {
		a, b := []byte(row[0]), []byte(row[1])
		if len(a) > len(b) {
			a, b = b, a
		}
		assert.True(t, misspelt(a, b) || transliterates([]byte(row[0]), []byte(row[1])), row[0])

		x, y := wordView{text: []byte(row[0])}, wordView{text: []byte(row[1])}
		for grade := gradeSame; grade <= gradeInitial; grade++ {
			assert.False(t, x.agrees(y, grade, 4), row[0])
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
