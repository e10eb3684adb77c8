package netguard

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestValuesAreCountedAsTheyCome(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		fits bool
	}{
		"few":                        {`{"a":[1,2,3]}`, true},
		"commas in a text":           {`"` + strings.Repeat(",{[", MaxValues) + `"`, true},
		"a text after a quote":       {`"\"` + strings.Repeat(",", 2*MaxValues) + `"`, true},
		"a backslash before the end": {`["\\"` + strings.Repeat(",1", 2*MaxValues) + `]`, false},
		"empty objects":              {"[" + strings.Repeat("{},", MaxValues) + "{}]", false},
		"numbers":                    {"[" + strings.Repeat("1,", 2*MaxValues) + "1]", false},
	} {
		var v Values
		var err error
		for piece := tt.text; piece != "" && err == nil; {
			n := min(len(piece), 7)
			err, piece = v.Count([]byte(piece[:n])), piece[n:]
		}
		if whole := CheckValues([]byte(tt.text)); (err == nil) != tt.fits || (whole == nil) != tt.fits || err != nil && nestor.CodeOf(err) != nestor.CodeTooLarge {
			t.Errorf("%s: %v in pieces, %v at once", name, err, whole)
		}
	}
}
