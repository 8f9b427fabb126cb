package names

import (
	"bytes"
	"strings"
	"unicode"
)

// isMask reports whether the character is a placeholder for a hidden or lost letter.
func isMask(r rune) bool {
	switch r {
	case '*', '•', '●', '∗', '✱', '✻', '\uFFFD':
		return true
	}
	return false
}

// isSilent reports whether a character inside a word is ignored: apostrophes, accents,
// Arabic vowel signs and invisible characters.
func isSilent(r rune) bool {
	switch r {
	case '\'', '`', '´', '‘', '’', '‛', '′', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ʾ', 'ʿ', 'ˈ', '\u0640': // U+0640 only lengthens Arabic words
		return true
	}
	return r >= 0x80 && (unicode.Is(accents, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

// foldWord writes ABDEL-, ABDUL-, ABDUR- and similar prefixes in place as ABD-. It returns
// the range of the word without the Arabic article at the beginning.
func foldWord(word []byte) (start, end int) {
	switch {
	case bytes.HasPrefix(word, []byte("ABD")):
		return 0, foldAbd(word)
	case bytes.HasPrefix(word, []byte("عبدال")) && len(word) > len("عبدال"):
		n := copy(word[len("عبد"):], word[len("عبدال"):])
		return 0, len("عبد") + n
	case bytes.HasPrefix(word, []byte("ال")) && len(word) > len("ال")+2:
		return len("ال"), len(word)
	}
	return 0, len(word)
}

// foldAbd removes the article of ABD-EL-RAHMAN, even if its L has become the next
// consonant: ABDERRAHMAN, ABDUR RAHMAN.
func foldAbd(word []byte) int {
	const abd = len("ABD")
	i := abd
	for i < len(word) && strings.IndexByte("AEOU", word[i]) >= 0 {
		i++
	}
	if i == abd || i == len(word) || len(word)-i == 2 {
		return len(word)
	}
	if rest := word[i+1:]; word[i] == 'L' || len(rest) > 0 && word[i] == rest[0] || len(rest) == 0 && word[i] == 'R' {
		return abd + copy(word[abd:], rest)
	}
	return len(word)
}

// soundWord writes a Latin word with one spelling for sounds that are often spelled in
// several ways: doubled letters, OU and OO as U, EE and Y as I, AE, OE and UE as the
// umlauts, PH as F, C and Q as K, and no silent H at the end. It removes the L of
// ABDELLATIF, because in ABDELATIF it was removed with the article.
func soundWord(key []byte, word []byte) []byte {
	if abdl := "ABDL"; len(word) >= len(abdl)+minSound && string(word[:len(abdl)]) == abdl {
		key, word = append(key, "ABD"...), word[len(abdl):]
	}
	for i := 0; i < len(word); i++ {
		c, width := soundAt(word[i:])
		i += width - 1
		last := len(key) - 1
		if last >= 0 && (key[last] == c && (last > 0 || isVowel(c)) || c == 'H' && i == len(word)-1 && isVowel(key[last])) {
			continue
		}
		key = append(key, c)
	}
	return key
}

// minSound is the minimum length of a spelling's key: LEE is not LI.
const minSound = 3

// soundAt returns the letter for the first sound of the word, and its width.
func soundAt(word []byte) (byte, int) {
	if len(word) == 2 || len(word) > 2 && (word[1] != 'E' || word[2] != 'E') { // SAEED has A and EE
		switch string(word[:2]) {
		case "OU", "OO", "UE":
			return 'U', 2
		case "EE":
			return 'I', 2
		case "AE":
			return 'A', 2
		case "OE":
			return 'O', 2
		case "PH":
			return 'F', 2
		}
	}
	if rest := bytes.TrimLeft(word[1:], "W"); word[0] == 'K' && bytes.HasPrefix(rest, []byte("U")) {
		return 'K', len(word) - len(rest) // CHUKWU is CHUKU
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

func isVowel(c byte) bool { return strings.IndexByte("AEIOU", c) >= 0 }

func isLatinWord(word []byte) bool {
	for _, c := range word {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}
