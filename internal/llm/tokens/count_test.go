package tokens

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/llm"
)

func TestCountUsesTheVocabularyOfTheModel(t *testing.T) {
	// The two vocabularies differ on this text, and the estimate from both.
	const text = "Größere Unternehmen müssen künftig ausführlichere Berichte vorlegen."
	counts := map[encoding]int{cl100k: 19, o200k: 15, estimated: 18}
	for model, want := range map[string]encoding{
		"gpt-4":                  cl100k,
		"gpt-4-0613":             cl100k,
		"gpt-4-turbo":            cl100k,
		"gpt-3.5-turbo-0125":     cl100k,
		"ft:gpt-3.5-turbo:acme":  cl100k,
		"gpt-4o":                 o200k,
		"gpt-4o-mini-2024-07-18": o200k,
		"gpt-4.1-nano":           o200k,
		"chatgpt-4o-latest":      o200k,
		"gpt-5":                  o200k,
		"gpt-5.6-sol":            o200k,
		"gpt-7-unheard-of":       o200k,
		"openai/gpt-5":           o200k,
		"gpt-oss:20b":            o200k,
		"o1":                     o200k,
		"o3-mini":                o200k,
		"claude-opus-5":          estimated,
		"gemini-3.1-pro":         estimated,
		"llama3.1:8b":            estimated,
		"olmo-2":                 estimated,
		"":                       estimated,
	} {
		if got := Count(model, text); got != counts[want] {
			t.Errorf("%q: %d tokens, want the %d of encoding %d", model, got, counts[want], want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		name, model, text string
		want              int
	}{
		{"counts nothing in an empty text", "gpt-5", "", 0},
		{"counts a word with its space as one", "gpt-5", "Hello, world", 3},
		{"counts across pieces as one text", "gpt-5", strings.Repeat(" word", 200), 200},
		{"counts bytes that are no text", "gpt-5", "\xff\xfe", 1},
		{"estimates nothing in an empty text", "claude-opus-5", "", 0},
		{"estimates short words as one each", "claude-opus-5", "The quick brown fox jumps", 5},
		{"estimates long words by their letters", "claude-opus-5", "internationalisation", 5},
		{"estimates the words inside of an identifier", "claude-opus-5", "getUserName", 3},
		{"estimates digits in pairs", "claude-opus-5", "20261115", 4},
		{"estimates marks in pairs", "claude-opus-5", `"}]`, 2},
		{"estimates Chinese by character", "claude-opus-5", "政府昨天宣布了改革", 12},
		{"estimates emoji as several", "claude-opus-5", "🎉", 3},
		{"estimates indentation by its length", "claude-opus-5", "\n" + strings.Repeat("\t", 31), 2},
		{"estimates every byte that is no text", "claude-opus-5", "\xff\xfe", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Count(tt.model, tt.text); got != tt.want {
				t.Errorf("%d tokens, want %d", got, tt.want)
			}
		})
	}
}

// The vocabularies that others use lie mostly between the old and the new one
// of OpenAI; Latin text and data must not be underestimated by either.
func TestTheEstimateIsALittleHigh(t *testing.T) {
	for name, text := range map[string]string{
		"English":  "Nestor is a durable runtime for nested AI agents, in one Go binary. A crash, a restart or a lost node never loses or doubles a step.",
		"French":   "Le gouvernement a annoncé hier une réforme très attendue du système d'éducation, après plusieurs années de négociations difficiles.",
		"code":     "func (c *cache) put(key text, n int) {\n\tif c.young == nil || len(c.young) >= generation {\n\t\tc.young, c.old = map[text]int{}, c.young\n\t}\n}\n",
		"JSON":     `{"id":"call_1","type":"function","function":{"name":"search","arguments":"{\"limit\":10,\"query\":\"steam engine\"}"},"ok":true}`,
		"numbers":  "2024-11-15 10:23:45.123 4711 3.14159 1,048,576 192.168.0.1 0xdeadbeef 17 of 2300 rows",
		"hex":      "3fa9c1d2e4b5a697887766554433221100ffeeddccbbaa99 d41d8cd98f00b204e9800998ecf8427e",
		"Markdown": "| package | does |\n| --- | --- |\n| `nestor` | path, glob, document |\n| `cmd/nestor` | flags and environment |\n",
	} {
		old, newest, guess := Count("gpt-4", text), Count("gpt-5", text), llm.EstimateTokens(text)
		if float64(guess) < 1.0*float64(max(old, newest)) || float64(guess) > 1.5*float64(min(old, newest)) {
			t.Errorf("%s: estimated %d, counted %d and %d", name, guess, old, newest)
		}
	}
	for name, text := range map[string]string{
		"German":   "Die Bundesregierung hat am Donnerstag beschlossen, die Förderung für erneuerbare Energien grundsätzlich zu überarbeiten.",
		"Russian":  "Правительство объявило вчера о долгожданной реформе системы образования после нескольких лет сложных переговоров.",
		"Chinese":  "政府昨天宣布了期待已久的教育体制改革，此前与工会代表进行了多年的艰难谈判。新的规定将从明年开始在全国范围内实施。",
		"Japanese": "政府は昨日、労働組合の代表者との長年にわたる困難な交渉の末、待望の教育制度改革を発表しました。",
		"Korean":   "정부는 어제 노동조합 대표들과 수년간의 어려운 협상 끝에 오랫동안 기다려온 교육 제도 개혁을 발표했다.",
		"Arabic":   "أعلنت الحكومة أمس عن إصلاح طال انتظاره لنظام التعليم بعد سنوات من المفاوضات الصعبة مع ممثلي النقابات.",
		"Thai":     "รัฐบาลประกาศเมื่อวานนี้เกี่ยวกับการปฏิรูประบบการศึกษาที่รอคอยมานาน",
	} {
		old, newest, guess := Count("gpt-4", text), Count("gpt-5", text), llm.EstimateTokens(text)
		if float64(guess) < 0.85*float64(old) || guess < newest || float64(guess) > 1.25*float64(old) {
			t.Errorf("%s: estimated %d, counted %d and %d", name, guess, old, newest)
		}
	}
}

func TestNoTextHasNoTokens(t *testing.T) {
	for _, by := range []encoding{estimated, cl100k, o200k} {
		if n := by.count("\x7f"); n != 1 {
			t.Errorf("encoding %d: %d tokens in a control character", by, n)
		}
	}
}

func TestNoTextHasMoreTokensThanBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		text = strings.Repeat(text, rapid.IntRange(1, 40).Draw(t, "repeat"))
		for _, by := range []encoding{estimated, cl100k, o200k} {
			if n := by.count(text); n > len(text) || n < 0 || (n == 0) != (text == "") {
				t.Fatalf("encoding %d: %d tokens in %d bytes", by, n, len(text))
			}
		}
	})
}

// A sample can mislead: here it hits just the places that the estimate is too low
// for, and the rest is as dense as text can be.
func TestASampleCountsNoMoreTokensThanBytes(t *testing.T) {
	text := []byte(strings.Repeat("a,", 1<<16))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range samples {
		start := i * (len(text) - sampleSize) / (samples - 1)
		for j := range sampleSize {
			text[start+j] = "zqxjkvwZQXJKVW"[noise.IntN(14)]
		}
	}
	if n := Count("gpt-5", string(text)); n > len(text) {
		t.Errorf("%d tokens in %d bytes", n, len(text))
	}
}

func TestPiecesDoNotChangeTheCount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	for range 8 {
		var b strings.Builder
		for range 1_000 {
			b.WriteString(pick("a", "word", "Überraschung", "isn't", "2026", "x=1;", "——"))
			b.WriteString(pick(" ", " ", " ", ", ", ".\n", "\n\n", "    ", strings.Repeat(" ", 1+random.IntN(12)), "\n\t\t"))
		}
		text := b.String()
		for _, by := range []encoding{cl100k, o200k} {
			whole, err := official[by]().Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := by.count(text); got != whole {
				t.Fatalf("%d tokens in pieces, %d as a whole:\n%q", got, whole, text)
			}
		}
	}
}

// Merging is quadratic in the length of a word, and words can be long: pictures
// in base64, lines drawn with equals signs. What bounds the time to count a text
// is that only so much of it is counted, and in small pieces.
func TestLongTextsAreCountedInSmallPieces(t *testing.T) {
	const size = 4 * exactLimit
	for _, text := range []string{
		strings.Repeat("A crash, a restart or a lost node never loses or doubles a step.\n", size/66),
		strings.Repeat("a", size), strings.Repeat("=", size), strings.Repeat(" ", size), strings.Repeat("\n", size),
		strings.Repeat("中", size/3), strings.Repeat("\u0301", size/2), strings.Repeat("\xff", size), strings.Repeat("\x80", size),
	} {
		for rest := text; rest != ""; {
			n := nextPiece(rest)
			if n <= longestPiece/2-4 && n < len(rest) || n > longestPiece {
				t.Fatalf("a piece of %.20q has %d bytes", text, n)
			}
			rest = rest[n:]
		}
		for i := range samples {
			if n := len(sample(text, i)); n < sampleSize-4 || n > sampleSize+4 {
				t.Fatalf("sample %d of %.20q has %d bytes", i, text, n)
			}
		}
		if n := llm.EstimateTokens(text); n < size/256 {
			t.Errorf("%.20q: only %d tokens", text, n)
		}
	}
}

func TestALongTextIsCountedFromASample(t *testing.T) {
	prose := strings.Repeat("A crash, a restart or a lost node never loses or doubles a step.\n", 1000)
	data := strings.Repeat(`{"id":"c1","n":[1,2,3],"ok":true}`, 1500)
	for name, text := range map[string]string{"prose": prose + prose, "both": prose + data, "blank": strings.Repeat(" ", 2*exactLimit)} {
		exact, got := countExactly(o200kVocabulary(), text), Count("gpt-5", text)
		if off := float64(got)/float64(exact) - 1; off < -0.05 || off > 0.05 {
			t.Errorf("%s: %d from a sample, %d exactly", name, got, exact)
		}
	}
}

func TestCountIsSafeForConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, model := range []string{"gpt-4", "gpt-5", "claude"} {
				Count(model, "The first use makes the vocabulary.")
			}
		})
	}
	wg.Wait()
}
