package names

import "unicode"

// wordKind is the role of a word of the vocabulary.
type wordKind int

const (
	plainWord wordKind = iota
	titleWord
	formWord
	tradeWord
	generationWord
	andWord
	articleWord
)

type vocabularyEntry struct {
	kind wordKind
	bit  uint32 // of a title or a legal form
	as   string // how the word is kept; "" means unchanged
}

// titleWords are removed. The titles of a row are equivalent. Titles that are also given
// names are not listed: PRINCE, NANA, BISHOP, SHEIKH.
var titleWords = [][]string{
	{"MR", "MISTER", "SIR"},
	{"MRS", "MISS", "MS", "MADAM", "MADAME", "MME"},
	{"DR", "DOCTOR"},
	{"PROF", "PROFESSOR"},
	{"CHIEF"},
	{"ALHAJI", "ALH", "HAJI", "ALHAJ"},
	{"ALHAJA", "HAJIA", "HAJIYA", "HAJJIA"},
	{"ENGR", "ENG"},
	{"HON", "HONOURABLE"},
	{"REV", "REVD", "REVEREND"},
	{"PASTOR", "PST", "EVANG", "EVANGELIST"},
	{"BARR", "BARRISTER"},
	{"ARC", "ARCH"},
	{"CAPT", "CAPTAIN"},
	{"ESQ", "ESQUIRE"},
}

// legalForms are the legal forms; the first of a row is the full form.
var legalForms = [][]string{
	{"LIMITED", "LTD"},
	{"PROPRIETARY", "PTY"},
	{"PLC"},
	{"CC"},
	{"INCORPORATED", "INC"},
	{"LLC"},
	{"LLP"},
	{"CORPORATION", "CORP"},
	{"COMPANY", "CO"},
	{"SAE"},
	{"NPC"},
}

// tradeWords are words that only names of companies and institutions contain. The words
// of a row are equivalent and kept as the first.
var tradeWords = [][]string{
	{"ENTERPRISES", "ENTERPRISE", "ENT", "ENTPRISES"},
	{"VENTURES", "VENTURE"},
	{"SERVICES", "SERVICE", "SVCS"},
	{"SOLUTIONS", "SOLUTION"},
	{"TECHNOLOGIES", "TECHNOLOGY"},
	{"INVESTMENTS", "INVESTMENT", "INVEST"},
	{"INDUSTRIES", "INDUSTRY", "IND"},
	{"HOLDINGS", "HOLDING"},
	{"FARMS", "FARM"},
	{"STORES", "STORE"},
	{"FOODS"},
	{"BROTHERS", "BROS"},
	{"SONS"},
	{"DAUGHTERS"},
	{"PARTNERS"},
	{"ASSOCIATES", "ASSOC"},
	{"GROUP", "GRP"},
	{"GLOBAL"},
	{"INTERNATIONAL", "INTL"},
	{"TRADING"},
	{"TRADERS"},
	{"LOGISTICS"},
	{"CONSULTING"},
	{"CONSULTANTS"},
	{"CONSTRUCTION"},
	{"ENGINEERING"},
	{"COMMUNICATIONS"},
	{"ELECTRONICS"},
	{"PHARMACY"},
	{"PHARMACEUTICALS"},
	{"MOTORS"},
	{"TRANSPORT"},
	{"PROPERTIES"},
	{"SUPPLIES"},
	{"SUPPLIERS"},
	{"PRODUCTS"},
	{"MARKETING"},
	{"AGENCIES"},
	{"AGENCY"},
	{"COOPERATIVE"},
	{"FOUNDATION"},
	{"MINISTRIES"},
	{"UNIVERSITY"},
	{"COLLEGE"},
	{"ACADEMY"},
	{"SCHOOL", "SCHOOLS"},
	{"HOSPITAL"},
	{"HOTEL", "HOTELS"},
	{"RESTAURANT"},
	{"INSURANCE"},
	{"MICROFINANCE"},
	{"PETROLEUM"},
	{"CEMENT"},
}

// generationWords distinguish a son from his father. They stay words, because JUNIOR is
// also a given name.
var generationWords = [][]string{{"JUNIOR", "JR", "JNR"}, {"SENIOR", "SR", "SNR"}, {"II"}, {"III"}}

// spellings are spellings of one name, in rows, that no letter rule equates. Nicknames
// and translations are not spellings.
var spellings = [][]string{
	{"MOHAMED", "MOHAMMED", "MUHAMMAD", "MOHAMMAD", "MUHAMMED", "MOHAMAD", "MUHAMAD", "MUHAMED", "MOUHAMED", "MOHAMMOD"},
	{"AHMED", "AHMAD"},
	{"HUSSEIN", "HUSSAIN", "HUSSIEN", "HOSSEIN", "HUSEYIN"},
	{"YOUSSEF", "YUSUF", "YOUSEF", "YOUSUF", "YUSEF", "YUSSUF"},
	{"IBRAHIM", "EBRAHIM"},
	{"OSMAN", "OTHMAN", "UTHMAN", "USMAN", "OUSMAN"},
	{"OMAR", "OMER", "UMAR", "OUMAR"},
	{"ALI", "ALY"},
	{"KHALED", "KHALID"},
	{"TAREK", "TARIQ", "TARIK", "TAREQ"},
	{"SHERIF", "SHARIF", "CHERIF"},
	{"FATIMA", "FATMA", "FATUMA", "FATEMA"},
	{"AISHA", "AYSHA", "AICHA", "AYESHA", "AISHAT", "AISHATU"},
	{"MARIAM", "MARYAM", "MERYEM", "MARIEM"},
	{"ZAINAB", "ZEINAB", "ZAYNAB", "ZENAB"},
	{"KHADIJA", "KHADIGA", "KHADEEJA"},
	{"MUSTAFA", "MOSTAFA", "MOUSTAFA"},
	{"SAYED", "SAYYID", "SAYID"},
	{"SALEH", "SALIH"},
	{"ISMAIL", "ISMAEL", "ESMAIL"},
	{"ABDLAH", "ABDLAHI", "ABDLA", "ABDAH", "ABDAHI", "ABDALA"},
	{"ABUBAKAR", "ABUBAKR", "ABOUBAKAR", "ABUBACAR", "ABUBAKER"},
	{"SULEIMAN", "SULAIMAN", "SOLIMAN", "SULEMAN", "SULAYMAN", "SULEIMAAN", "SULAIMON"},
	{"YAHYA", "YAHIA", "YEHIA"},
	{"JAMAL", "GAMAL", "DJAMAL"},
	{"NAGUIB", "NAJIB", "NAGIB"},
	{"MAGDY", "MAJDI"},
	{"NASSER", "NASIR", "NASER"},
	{"RAMADAN", "RAMADHAN"},
	{"ABDAI", "ABDAYE", "ABDLAI", "ABDLAYE"},
	{"KWAKU", "KWEKU"},
	{"KOJO", "KWADWO"},
	{"KWESI", "KWASI"},
	{"KWABENA", "KOBINA", "KOBENA"},
	{"AKUA", "EKUA"},
	{"EFUA", "AFUA", "AFIA"},
	{"CATHERINE", "KATHERINE", "KATHARINE", "CATHARINE"},
	{"STEPHEN", "STEVEN"},
	{"GEOFFREY", "JEFFREY"},
	{"MICHAEL", "MICHEAL"},
	{"ELIZABETH", "ELISABETH"},
	{"THERESA", "TERESA"},
	{"ANTHONY", "ANTONY"},
	{"ESTHER", "ESTER"},
}

// namesApart are pairs of different names that look like misspellings or transliterations
// of each other.
var namesApart = [][]string{
	{"FRANCIS", "FRANCES"},
	{"RASHAD", "RASHED"},
	{"MARIANA", "MARINA"},
	{"محمد", "MAHMUD"},
	{"سمر", "SAMIR"},
}

// nearVowels are vowels that misspellings confuse.
var nearVowels = map[[2]byte]bool{{'A', 'E'}: true, {'E', 'I'}: true, {'O', 'U'}: true, {'I', 'Y'}: true}

// letterFolds are letters that Unicode does not decompose: Latin letters with a stroke or
// hook, those of Hausa, Akan and Ewe, and Arabic variants. Keys are upper-case.
var letterFolds = map[rune]string{
	'Ł': "L", 'Ø': "O", 'Đ': "D", 'Ð': "D", 'Æ': "AE", 'Œ': "OE", 'ß': "SS", 'ẞ': "SS", 'Þ': "TH", 'Ħ': "H", 'Ŧ': "T", 'I': "I",
	'Ɓ': "B", 'Ɗ': "D", 'Ƙ': "K", 'Ƴ': "Y", 'Ŋ': "N", 'Ɔ': "O", 'Ɛ': "E", 'Ə': "E", 'Ɖ': "D", 'Ƒ': "F", 'Ɣ': "G", 'Ʋ': "V", 'Ɩ': "I",
	'ء': "", 'ٱ': "ا", 'ة': "ه", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ھ': "ه", 'ہ': "ه",
}

// accents are marks by which names do not differ: Unicode's combining diacritics and
// Arabic vowel signs. Vowel signs of other scripts count as letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036F, Stride: 1},
	{Lo: 0x0610, Hi: 0x061A, Stride: 1},
	{Lo: 0x064B, Hi: 0x065F, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x06D6, Hi: 0x06ED, Stride: 1},
	{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1},
	{Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
	{Lo: 0x20D0, Hi: 0x20FF, Stride: 1},
	{Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
}}

var (
	vocabulary     = indexVocabulary()
	spellingGroups = indexGroups(spellings)
	twoNames       = indexGroups(namesApart)
)

func indexVocabulary() map[string]vocabularyEntry {
	index := map[string]vocabularyEntry{
		"AND": {kind: andWord}, "AL": {kind: articleWord}, "EL": {kind: articleWord},
		"NIG": {as: "NIGERIA"}, "ABDEL": {as: "ABD"}, "ABDUL": {as: "ABD"}, "ABDAL": {as: "ABD"}, "ABDOUL": {as: "ABD"}, "ABDOL": {as: "ABD"},
		"ABDUR": {as: "ABD"}, "ABDER": {as: "ABD"}, "ABDAR": {as: "ABD"}, "ABDOUR": {as: "ABD"},
	}
	enter := func(kind wordKind, rows [][]string, counted bool) {
		for i, row := range rows {
			entry := vocabularyEntry{kind: kind, as: row[0]}
			if counted {
				entry.bit = 1 << i
			}
			for _, word := range row {
				index[word] = entry
			}
		}
	}
	enter(titleWord, titleWords, true)
	enter(formWord, legalForms, true)
	enter(tradeWord, tradeWords, false)
	enter(generationWord, generationWords, false)
	return index
}

// indexGroups maps each word to the number of its row, from 1.
func indexGroups(rows [][]string) map[string]int {
	index := map[string]int{}
	for i, row := range rows {
		for _, word := range row {
			index[word] = i + 1
		}
	}
	return index
}
