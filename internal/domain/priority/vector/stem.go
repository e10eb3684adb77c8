package vector

import "strings"

// endings of English and German words, the longer ones of a group first. What is
// left has at least three letters and a vowel.
var endings = []string{
	"isierungen", "isierung", "isieren", "ierungen", "ierung", "ieren", "iert",
	"izations", "ization", "izing", "ized", "izes", "ize",
	"ations", "ation", "ating", "ated", "ates", "ate", "ators", "ator",
	"ments", "ment", "ungen", "ung", "heiten", "heit", "keiten", "keit",
	"nesses", "ness", "ions", "ion", "ings", "ing", "ies", "ied", "ed", "ers", "er", "ern", "em", "en", "es", "ly", "e", "n", "s", "y",
}

// stem returns what a word has in common with its relatives: "plan", "plans" and
// "planning" are one. It is rough: it need not be a word.
func stem(word string) string {
	for range 2 { // "meetings" has one ending, "tasters" two
		cut := word
		for _, e := range endings {
			if s, ok := strings.CutSuffix(word, e); ok && len(s) >= 3 && strings.ContainsAny(s, "aeiouy") {
				cut = s
				break
			}
		}
		if cut == word {
			break
		}
		word = undouble(cut)
	}
	return word
}

// undouble makes "plann" of "planning" the "plan" it is.
func undouble(s string) string {
	if n := len(s); n > 3 && s[n-1] == s[n-2] && !strings.ContainsRune("aeiou", rune(s[n-1])) {
		return s[:n-1]
	}
	return s
}

// plain is a small letter without its accent.
func plain(r rune) string {
	if r < 0x80 {
		return string(r)
	}
	if p, ok := accents[r]; ok {
		return p
	}
	return string(r)
}

var accents = func() map[rune]string {
	all := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d"}
	for p, letters := range map[string]string{
		"a": "äàáâãåā", "c": "çćč", "e": "éèêëēęě", "i": "íìîïī", "n": "ñńň", "o": "öóòôõō", "s": "śšş", "u": "üúùûūů", "y": "ýÿ", "z": "źżž", "g": "ğ", "r": "ř", "t": "ť",
	} {
		for _, r := range letters {
			all[r] = p
		}
	}
	return all
}()
