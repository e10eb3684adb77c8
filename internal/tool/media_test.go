package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func picture(size int) nestor.Media {
	m, _ := NewMedia("image/png", "", "", []byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", size-8)))
	return m
}

func TestMediaAreKeptAsFarAsTheResultFitsADocument(t *testing.T) {
	const note = "[too large to be shown: 1 of 2 images and files; they are only described]"
	for name, tt := range map[string]struct {
		text  string
		sizes [2]int
		limit int
		kept  int
	}{
		"both fit":                           {"[two images]", [2]int{1_000, 2_000}, 0, 2},
		"one is larger than a document":      {"[two images]", [2]int{900_000, 2_000}, 0, 1},
		"together they are too large":        {"[two images]", [2]int{500_000, 500_000}, 0, 1},
		"documents may be larger":            {"[two images]", [2]int{500_000, 500_000}, 2 << 20, 2},
		"no document is larger than that":    {"[two images]", [2]int{3 << 20, 2 << 20}, 100 << 20, 1},
		"text in need of escapes counts too": {strings.Repeat("\x01", 60_000), [2]int{520_000, 1_000}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			made := Func(Spec{Name: "shoot"}, func(context.Context, Call, struct{}) (Output, error) {
				return Output{tt.text, []nestor.Media{picture(tt.sizes[0]), picture(tt.sizes[1])}}, nil
			})
			r := Execute(t.Context(), made, Call{Arguments: "{}"}, Options{ResultLimit: tt.limit})
			if len(r.Media) != tt.kept || strings.HasSuffix(r.Output, note) != (tt.kept < 2) || !strings.HasPrefix(r.Output, tt.text) {
				t.Errorf("%d are kept: %.200s", len(r.Media), r.Output)
			}
			stored, err := json.Marshal(nestor.SubAgentMessage{Role: nestor.RoleTool, Content: r.Output, Media: r.Media})
			if limit := max(tt.limit, 1<<20); err != nil || len(stored) > limit {
				t.Errorf("the message has %d bytes, %v", len(stored), err)
			}
		})
	}
}

func TestAFailedCallHasNoMedia(t *testing.T) {
	made, err := New(Spec{Name: "shoot"}, func(context.Context, Call) (Output, error) {
		return Output{Media: []nestor.Media{picture(100)}}, nestor.Errorf(nestor.CodeUnavailable, "no light")
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := Execute(t.Context(), made, Call{Arguments: "{}"}, Options{}); r.Status != nestor.ToolCallFailed || len(r.Media) > 0 {
		t.Errorf("got %+v", r)
	}
}
