package names

import (
	"bytes"
	"strings"
	"unicode"
)

// isMask reports whether a provider hides a letter with the character, or
// one was lost on the way.
func isMask(r rune) bool {
	switch r {
	case '*', '•', '●', '∗', '✱', '✻', '\uFFFD':
		return true
	}
	return false
}

// isSilent reports whether a character inside a word is passed over:
// apostrophes, accents, vowel signs of Arabic, and what cannot be seen.
func isSilent(r rune) bool {
	switch r {
	case '\'', '`', '´', '‘', '’', '‛', '′', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ʾ', 'ʿ', 'ˈ', '\u0640': // the last lengthens Arabic words
		return true
	}
	return r >= 0x80 && (unicode.Is(accents, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

// foldPrefix brings compounds to one form, in place, and gives what is left
// of the word: ABDEL-, ABDUL-, ABDUR- and the like become ABD-, and the Arabic
// article goes and is noted.
func foldPrefix(word []byte, article *bool) int {
	switch {
	case bytes.HasPrefix(word, []byte("ABD")):
		return foldAbd(word)
	case bytes.HasPrefix(word, []byte("عبدال")) && len(word) > len("عبدال"):
		n := copy(word[len("عبد"):], word[len("عبدال"):])
		return len("عبد") + n
	case bytes.HasPrefix(word, []byte("ال")) && len(word) > len("ال")+2:
		*article = true
		return copy(word, word[len("ال"):])
	}
	return len(word)
}

// foldAbd drops the article of ABD-EL-RAHMAN, also where its L became the next
// consonant: ABDERRAHMAN.
func foldAbd(word []byte) int {
	const abd = len("ABD")
	i := abd
	for i < len(word) && strings.IndexByte("AEOU", word[i]) >= 0 {
		i++
	}
	assimilated := i+1 < len(word) && word[i] == word[i+1]
	if i == abd || i == len(word) || (word[i] != 'L' && !assimilated) {
		return len(word)
	}
	if rest := len(word) - i - 1; rest == 1 {
		return len(word)
	}
	return abd + copy(word[abd:], word[i+1:])
}

// soundWord writes a word in Latin letters with one spelling for what is
// often spelt in several: doubled letters, OU and OO for U, EE and Y for I, AE,
// OE and UE for the umlauts, PH for F, C and Q for K, and a silent H at the end. The
// L of ABDELLATIF goes, since in ABDELATIF it went with the article.
func soundWord(key []byte, word []byte) []byte {
	if abdl := "ABDL"; len(word) >= len(abdl)+minSound && string(word[:len(abdl)]) == abdl {
		key, word = append(key, "ABD"...), word[len(abdl):]
	}
	for i := 0; i < len(word); i++ {
		c, width := soundAt(word[i:])
		i += width - 1
		last := len(key) - 1
		if last >= 0 && (key[last] == c || c == 'H' && i == len(word)-1 && isVowel(key[last])) {
			continue
		}
		key = append(key, c)
	}
	return key
}

// soundAt gives the letter that the word's beginning sounds as, and its width.
func soundAt(word []byte) (byte, int) {
	if len(word) > 1 && !bytes.HasPrefix(word[1:], []byte("EE")) { // SAEED has A and EE
		if c := soundOfTwo(word[0], word[1]); c != 0 {
			return c, 2
		}
	}
	switch word[0] {
	case 'Q':
		return 'K', 1
	case 'Y':
		return 'I', 1
	case 'C':
		if next := bytes.TrimLeft(word, "C"); len(next) == 0 || strings.IndexByte("EIYH", next[0]) < 0 {
			return 'K', 1
		}
	}
	return word[0], 1
}

func soundOfTwo(first, second byte) byte {
	switch string([]byte{first, second}) {
	case "OU", "OO", "UE":
		return 'U'
	case "EE":
		return 'I'
	case "AE":
		return 'A'
	case "OE":
		return 'O'
	case "PH":
		return 'F'
	}
	return 0
}

func isVowel(c byte) bool { return strings.IndexByte("AEIOU", c) >= 0 }

func isLatinWord(word []byte) bool {
	for _, c := range word {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}
