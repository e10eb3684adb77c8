package pdftext

import (
	"strconv"
	"strings"
)

// encoding is what the single bytes of a font stand for: its base encoding with the
// differences that it declares.
func (f *file) encoding(d dict, base string) *[256]string {
	letters := standardLetters
	e := f.get(d["Encoding"])
	declared, _ := e.(name)
	differences, _ := e.(dict)
	if differences != nil {
		declared, _ = f.get(differences["BaseEncoding"]).(name)
	}
	switch {
	case declared == "WinAnsiEncoding", declared == "" && d["Subtype"] == name("TrueType"):
		letters = winLetters
	case declared == "MacRomanEncoding":
		letters = macLetters
	case strings.HasSuffix(base, "Symbol") && e == nil:
		letters[0xB7] = "•"
	case strings.Contains(base, "CMSY") && e == nil: // the symbols of TeX
		letters[0x0F], letters[0x00], letters[0x21] = "•", "−", "→"
	}
	at := 0
	for _, v := range f.array(differences["Differences"]) {
		switch v := f.get(v).(type) {
		case float64:
			at = int(v)
		case name:
			if at >= 0 && at < 256 {
				letters[at] = letterNamed(string(v))
			}
			at++
		}
	}
	return &letters
}

// letterNamed is the text of a glyph by its name: "eacute", "uni20AC", "f_i", "a.sc".
func letterNamed(glyph string) string {
	if s, ok := lettersByName[glyph]; ok {
		return s
	}
	glyph, _, _ = strings.Cut(glyph, ".")
	if s, ok := lettersByName[glyph]; ok {
		return s
	}
	if strings.Contains(glyph, "_") && len(glyph) < 64 {
		var out strings.Builder
		for _, part := range strings.Split(glyph, "_") {
			out.WriteString(letterNamed(part))
		}
		return out.String()
	}
	if hex, ok := strings.CutPrefix(glyph, "uni"); ok && len(hex) >= 4 {
		if n, err := strconv.ParseUint(hex[:4], 16, 32); err == nil {
			return string(rune(n))
		}
	}
	if hex, ok := strings.CutPrefix(glyph, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return string(rune(n))
		}
	}
	if len(glyph) == 1 {
		return glyph
	}
	return ""
}

// What the bytes of the usual encodings stand for.
var (
	winLetters = fill(fill(ascii(), 0x80, "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"), 0xA0, latin1)
	macLetters = fill(ascii(), 0x80, "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00A0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")

	standardLetters = fill(fill(fill(fill(ascii(), '\'', "’"), '`', "‘"),
		0xA1, "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—"),
		0xE1, "Æ ª    ŁØŒº     æ   ı  łøœß")
)

const latin1 = "\u00A0¡¢£¤¥¦§¨©ª«¬\u00AD®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"

func ascii() (letters [256]string) {
	for c := ' '; c < 0x7F; c++ {
		letters[c] = string(c)
	}
	return letters
}

// fill sets the letters from a code on. A space leaves one out.
func fill(letters [256]string, from int, list string) [256]string {
	for _, r := range list {
		if r != ' ' {
			letters[from] = string(r)
		}
		from++
	}
	return letters
}

var lettersByName = func() map[string]string {
	all := map[string]string{"space": " ", "nbspace": " ", "nonbreakingspace": " "}
	named := strings.Fields(glyphNames)
	for i := 0; i+1 < len(named); i += 2 {
		all[named[i]] = named[i+1]
	}
	return all
}()

// glyphNames are names of the glyphs of Latin fonts, and of Greek letters, each with its letter.
const glyphNames = `exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' quoteright ’ quoteleft ‘ parenleft ( parenright )
asterisk * plus + comma , hyphen - sfthyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _
grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ fraction ⁄ yen ¥ florin ƒ section § currency ¤
quotedblleft “ guillemotleft « guilsinglleft ‹ guilsinglright › fi fi fl fl ff ff ffi ffi ffl ffl endash – dagger † daggerdbl ‡
periodcentered · middot · paragraph ¶ bullet • quotesinglbase ‚ quotedblbase „ quotedblright ” guillemotright » ellipsis … perthousand ‰
questiondown ¿ acute ´ circumflex ˆ tilde ˜ macron ¯ breve ˘ dotaccent ˙ dieresis ¨ ring ˚ cedilla ¸ hungarumlaut ˝ ogonek ˛ caron ˇ
emdash — AE Æ ordfeminine ª Lslash Ł Oslash Ø OE Œ ordmasculine º ae æ dotlessi ı lslash ł oslash ø oe œ germandbls ß
Agrave À Aacute Á Acircumflex Â Atilde Ã Adieresis Ä Aring Å Ccedilla Ç Egrave È Eacute É Ecircumflex Ê Edieresis Ë Igrave Ì Iacute Í
Icircumflex Î Idieresis Ï Eth Ð Ntilde Ñ Ograve Ò Oacute Ó Ocircumflex Ô Otilde Õ Odieresis Ö Ugrave Ù Uacute Ú Ucircumflex Û
Udieresis Ü Yacute Ý Thorn Þ agrave à aacute á acircumflex â atilde ã adieresis ä aring å ccedilla ç egrave è eacute é
ecircumflex ê edieresis ë igrave ì iacute í icircumflex î idieresis ï eth ð ntilde ñ ograve ò oacute ó ocircumflex ô otilde õ
odieresis ö ugrave ù uacute ú ucircumflex û udieresis ü yacute ý thorn þ ydieresis ÿ Ydieresis Ÿ Scaron Š scaron š Zcaron Ž zcaron ž
Cacute Ć cacute ć Ccaron Č ccaron č Dcaron Ď dcaron ď Dcroat Đ dcroat đ Ecaron Ě ecaron ě Eogonek Ę eogonek ę Aogonek Ą aogonek ą
Gbreve Ğ gbreve ğ Idotaccent İ Nacute Ń nacute ń Ncaron Ň ncaron ň Ohungarumlaut Ő ohungarumlaut ő Rcaron Ř rcaron ř Sacute Ś
sacute ś Scedilla Ş scedilla ş Tcaron Ť tcaron ť Uring Ů uring ů Uhungarumlaut Ű uhungarumlaut ű Zacute Ź zacute ź Zdotaccent Ż
zdotaccent ż copyright © registered ® trademark ™ degree ° plusminus ± mu µ multiply × divide ÷ onehalf ½ onequarter ¼
threequarters ¾ onesuperior ¹ twosuperior ² threesuperior ³ logicalnot ¬ brokenbar ¦ Euro € euro € lessequal ≤ greaterequal ≥
notequal ≠ infinity ∞ arrowright → arrowleft ← arrowup ↑ arrowdown ↓ approxequal ≈ summation ∑ product ∏ radical √ integral ∫
partialdiff ∂ lozenge ◊ check ✓ checkmark ✓ checkbox ☐ checkboxchecked ☑ square □ filledbox ■ circle ○ H18533 ■
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ tau τ
upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω`

// Widths of the characters from the space to the tilde.
var (
	helveticaWidths = []float64{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	timesWidths = []float64{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
		500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
		921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
		556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
		333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
		500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
	}
)
