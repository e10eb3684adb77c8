package tool

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func picture(size int) nestor.Media {
	m, _ := NewMedia("image/png", "", "", []byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", size-8)))
	return m
}

func TestMediaAreKeptUpToABound(t *testing.T) {
	const note = "[too large, or too many, to be shown: 1 of 2 images and files; they are only described]"
	for name, tt := range map[string]struct {
		sizes [2]int
		kept  int
	}{
		"both fit":                    {[2]int{1_000, 2 << 20}, 2},
		"one is too large":            {[2]int{MaxMedia + 1, 2_000}, 1},
		"together they are too large": {[2]int{5 << 20, 4 << 20}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			made := Func(Spec{Name: "shoot"}, func(context.Context, Call, struct{}) (Output, error) {
				return Output{"[two images]", []nestor.Media{picture(tt.sizes[0]), picture(tt.sizes[1])}}, nil
			})
			r := Execute(t.Context(), made, Call{Arguments: "{}"}, Options{})
			if len(r.Media) != tt.kept || strings.HasSuffix(r.Output, note) != (tt.kept < 2) || !strings.HasPrefix(r.Output, "[two images]") {
				t.Errorf("%d are kept: %.200s", len(r.Media), r.Output)
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

// Each becomes a file and a part of a message.
func TestVeryManyImagesOfAResultAreOnlyDescribed(t *testing.T) {
	m, ok := NewMedia("image/png", "", "", []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		t.Fatal("it is no image")
	}
	made, err := New(Spec{Name: "x"}, func(context.Context, Call) (Output, error) {
		return Output{Text: "many", Media: slices.Repeat([]nestor.Media{m}, 10_000)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := Execute(t.Context(), made, Call{Arguments: "{}"}, Options{})
	if len(r.Media) != maxMediaPieces || !strings.Contains(r.Output, "9936 of 10000") {
		t.Errorf("%d images are kept: %s", len(r.Media), r.Output)
	}
}
