package vector_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

func cosine(a, b string) float64 {
	return float64(vector.Dot(vector.Lexical(a), vector.Lexical(b)))
}

// The thresholds are those of semantic-search: 0.7 is asked for first, then 0.5 and
// 0.4.
func TestTextsInSimilarWordsAreSimilar(t *testing.T) {
	for _, p := range []struct {
		a, b     string
		from, to float64
	}{
		{"Write the quarterly report", "writing quarterly reports", 0.9, 1},
		{"Plan the launch event", "Planning of launch events", 0.9, 1},
		{"Fix login bug", "Fix the bugs in the login", 0.9, 1},
		{"Die Rechnungen prüfen", "Prüfung der Rechnung", 0.9, 1},
		{"Überarbeite die Webseite", "uberarbeitung der Webseiten", 0.8, 1},
		{"Call the tax advisor", "Call our tax adviser about taxes", 0.7, 1},
		{"Migrate the database to PostgreSQL", "database migration to Postgres", 0.7, 1},
		{"Prepare slides for the board meeting", "Prepare the board meeting", 0.7, 1},
		{"launch", "Launch the website", 0.5, 1},
		{"Write the quarterly report for finance", "quarterly report", 0.5, 1},
		{"Improve onboarding emails for new customers", "onboarding emails", 0.5, 1},
		{"Datenbankmigration vorbereiten", "Datenbank migrieren", 0.25, 0.9},
		{"Recieve the deliveries", "Receive deliveries", 0.5, 1},
		{"café opening", "cafe\u0301 openings", 0.9, 1},
		{"设计新网站", "新网站的设计", 0.7, 1},
		// What has nothing in common but a stop word, or a synonym, is not similar.
		{"Write the quarterly report", "Buy milk and bread", -0.3, 0.3},
		{"Hire a designer", "Pay the electricity bill", -0.3, 0.3},
		{"for the of and", "Write the report for the board", -0.3, 0.39},
		{"Steuererklärung abgeben", "Garten umgraben", -0.3, 0.39},
	} {
		if got := cosine(p.a, p.b); got < p.from || got > p.to+1e-6 {
			t.Errorf("%q and %q: %.2f, want between %v and %v", p.a, p.b, got, p.from, p.to)
		}
	}
}

func TestAVectorHasLengthOneOrIsEmpty(t *testing.T) {
	for _, text := range []string{"", " \n", "!?…", "a", "42", "🎉 party", strings.Repeat("long text with words ", 5000), "\xff\xfe bad", "ÄÖÜ"} {
		v := vector.Lexical(text)
		length := math.Sqrt(float64(vector.Dot(v, v)))
		want := 1.0
		if strings.Trim(text, " \n!?…") == "" {
			want = 0
		}
		if len(v) != vector.LexicalDimensions || math.Abs(length-want) > 1e-5 {
			t.Errorf("%.20q: %d dimensions, length %v, want %v", text, len(v), length, want)
		}
		if !slices.Equal(v, vector.Lexical(text)) {
			t.Errorf("%.20q: another vector the second time", text)
		}
	}
}

// A word that comes often does not drown the others.
func TestWeightsAreSublinear(t *testing.T) {
	if got := cosine(strings.Repeat("report ", 20)+"budget", "budget"); got < 0.15 {
		t.Errorf("one word among twenty others counts %.2f", got)
	}
}

func FuzzLexical(f *testing.F) {
	f.Add("Write the report — für Übermorgen 新")
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range vector.Lexical(text) {
			if math.IsNaN(float64(x)) || math.Abs(float64(x)) > 1.0001 {
				t.Fatalf("%q has the number %v", text, x)
			}
		}
	})
}
