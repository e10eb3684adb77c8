package tool_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/tool"
)

func TestAToolIsOfferedWhereItIsOfUse(t *testing.T) {
	make := func(spec tool.Spec) *tool.Tool {
		made, err := tool.New(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	r := tool.NewRegistry([]*tool.Tool{
		make(tool.Spec{Name: "always"}), make(tool.Spec{Name: "in waves", Chats: "wave-"}), make(tool.Spec{Name: "read back", ReadsBack: true}),
	}, tool.Options{})
	for _, tt := range []struct {
		at   tool.Where
		want string
	}{
		{tool.Where{ChatID: "c1"}, "always "},
		{tool.Where{ChatID: "wave-1"}, "always in_waves "},
		{tool.Where{ChatID: "c1", Long: true}, "always read_back "},
		{tool.Where{ChatID: "wave-1", Long: true}, "always in_waves read_back "},
		{tool.Where{ChatID: "c1", Named: []string{"in waves", "read back"}}, "always in_waves "},
	} {
		at, got := tt.at, ""
		for _, o := range r.Useful(at).Offer() {
			got += o.Name + " "
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", at, got, tt.want)
		}
		if again := r.Useful(at); again != r.Useful(at) {
			t.Errorf("%+v: not the same registry", at)
		}
	}
}
