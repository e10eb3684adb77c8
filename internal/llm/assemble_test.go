package llm

import (
	"slices"
	"testing"
)

func TestAssembler(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []CallPiece
		cut    bool
		want   []ToolCall
	}{
		{
			name: "joins the pieces of each index",
			pieces: []CallPiece{
				{Index: 0, ID: "a", Name: "one"},
				{Index: 1, ID: "b", Name: "two"},
				{Index: 0, Arguments: `{"x":`},
				{Index: 1, Arguments: `{"y":2`},
				{Index: 0, Arguments: `1}`},
				{Index: 1, Arguments: `}`},
			},
			want: []ToolCall{{ID: "a", Name: "one", Arguments: `{"x":1}`}, {ID: "b", Name: "two", Arguments: `{"y":2}`}},
		},
		{
			name:   "does not stop when a prefix parses",
			pieces: []CallPiece{{ID: "a", Name: "one", Arguments: `{}`}, {Arguments: `{"x":1}`}},
			want:   []ToolCall{{ID: "a", Name: "one", Arguments: `{}{"x":1}`}},
		},
		{
			name:   "orders calls by index, not by arrival",
			pieces: []CallPiece{{Index: 7, ID: "b", Name: "two"}, {Index: 3, ID: "a", Name: "one"}},
			want:   []ToolCall{{ID: "a", Name: "one", Arguments: "{}"}, {ID: "b", Name: "two", Arguments: "{}"}},
		},
		{
			name: "tells calls apart by id when all have one index",
			pieces: []CallPiece{
				{ID: "a", Name: "one", Arguments: "{}"},
				{ID: "b", Name: "one", Arguments: `{"x":1`},
				{Arguments: "}"},
			},
			want: []ToolCall{{ID: "a", Name: "one", Arguments: "{}"}, {ID: "b", Name: "one", Arguments: `{"x":1}`}},
		},
		{
			name: "starts a call at a name when the one before is whole",
			pieces: []CallPiece{
				{Name: "one", Arguments: `{"x":"}"`},
				{Name: "one", Arguments: "}"},
				{Name: "one", Arguments: `{"x":2}`},
				{Name: "two", Arguments: `{`},
				{Arguments: `}`},
			},
			want: []ToolCall{
				{ID: callID("reply", 0), Name: "one", Arguments: `{"x":"}"}`},
				{ID: callID("reply", 1), Name: "one", Arguments: `{"x":2}`},
				{ID: callID("reply", 2), Name: "two", Arguments: `{}`},
			},
		},
		{
			name:   "starts a call when a name comes again and arguments follow",
			pieces: []CallPiece{{Name: "one", Arguments: `{}`}, {Name: "one"}, {Arguments: `{"x":1}`}, {Name: "one"}},
			want: []ToolCall{
				{ID: callID("reply", 0), Name: "one", Arguments: `{}`},
				{ID: callID("reply", 1), Name: "one", Arguments: `{"x":1}`},
			},
		},
		{
			name:   "tells two tools without arguments from two halves of a name",
			pieces: []CallPiece{{Name: "one"}, {Name: "two"}},
			want:   []ToolCall{{ID: callID("reply", 0), Name: "one", Arguments: "{}"}, {ID: callID("reply", 1), Name: "two", Arguments: "{}"}},
		},
		{
			name:   "keeps the first of the ids that the pieces of a call have",
			pieces: []CallPiece{{ID: "a", Name: "one", Arguments: "{"}, {ID: "b", Arguments: `"x":1`}, {ID: "c", Name: "one", Arguments: "}"}},
			want:   []ToolCall{{ID: "a", Name: "one", Arguments: `{"x":1}`}},
		},
		{
			name:   "gives a piece that has lost its number to the latest call",
			pieces: []CallPiece{{Index: 3, ID: "a", Name: "one", Arguments: "{"}, {Arguments: "}"}},
			want:   []ToolCall{{ID: "a", Name: "one", Arguments: `{}`}},
		},
		{
			name: "takes repeated ids and names once",
			pieces: []CallPiece{
				{ID: "a", Name: "one", Arguments: "{"},
				{ID: "a", Name: "one", Arguments: "}"},
			},
			want: []ToolCall{{ID: "a", Name: "one", Arguments: "{}"}},
		},
		{
			name:   "joins a name in pieces",
			pieces: []CallPiece{{ID: "a", Name: "get_"}, {Name: "weather"}},
			want:   []ToolCall{{ID: "a", Name: "get_weather", Arguments: "{}"}},
		},
		{
			name:   "keeps a signature",
			pieces: []CallPiece{{ID: "a", Name: "one", Signature: "s"}, {Arguments: "{}"}},
			want:   []ToolCall{{ID: "a", Name: "one", Arguments: "{}", Signature: "s"}},
		},
		{
			name:   "leaves a cut call as it came",
			pieces: []CallPiece{{ID: "a", Name: "one"}, {Index: 1, ID: "b", Name: "two", Arguments: `{"x`}},
			cut:    true,
			want:   []ToolCall{{ID: "a", Name: "one"}, {ID: "b", Name: "two", Arguments: `{"x`}},
		},
		{
			name:   "keeps a call without a name",
			pieces: []CallPiece{{ID: "a", Arguments: `{"x":1}`}},
			want:   []ToolCall{{ID: "a", Arguments: `{"x":1}`}},
		},
		{name: "leaves out pieces that hold nothing", pieces: []CallPiece{{}, {Index: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := assembler{known: func(name string) bool { return name == "one" || name == "two" }}
			for _, p := range tt.pieces {
				a.add(p)
			}
			if got := a.finish("reply", tt.cut); !slices.Equal(got, tt.want) {
				t.Errorf("\n got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestMissingIDsDependOnReplyAndPosition(t *testing.T) {
	ids := func(reply string) []string {
		var a assembler
		a.add(CallPiece{Index: 0, Name: "one"})
		a.add(CallPiece{Index: 1, Name: "one"})
		calls := a.finish(reply, false)
		return []string{calls[0].ID, calls[1].ID}
	}
	seen := slices.Concat(ids("r1"), ids("r2"))
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 4 {
		t.Errorf("ids %v are not all different", seen)
	}
	if !slices.Equal(ids("r1"), ids("r1")) {
		t.Error("ids of one reply change")
	}
}

// FuzzAssembler streams two calls with any arguments, cut and interleaved in
// any way, and wants them back to the letter.
func FuzzAssembler(f *testing.F) {
	f.Add(`{"city":"Zürich"}`, `{"a":[1,2]}`, []byte{1, 130, 3, 200})
	f.Add(`{}`, ``, []byte{})
	f.Add(`{"broken": `, "\x00\xff", []byte{255, 0, 128})
	f.Fuzz(func(t *testing.T, first, second string, plan []byte) {
		rest := [2]string{first, second}
		var a assembler
		a.add(CallPiece{Index: 0, ID: "a", Name: "one"})
		a.add(CallPiece{Index: 1, ID: "b", Name: "two"})
		send := func(i, n int) {
			n = min(n, len(rest[i]))
			a.add(CallPiece{Index: int64(i), Arguments: rest[i][:n]})
			rest[i] = rest[i][n:]
		}
		for _, b := range plan {
			send(int(b>>7), int(b&0x7f))
		}
		send(1, len(rest[1]))
		send(0, len(rest[0]))

		got := a.finish("reply", true)
		want := []ToolCall{{ID: "a", Name: "one", Arguments: first}, {ID: "b", Name: "two", Arguments: second}}
		if !slices.Equal(got, want) {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		}
	})
}

// FuzzAssemblerPieces adds pieces of any kind: no server can make the assembler
// panic, lose argument text or return a call that cannot be answered.
func FuzzAssemblerPieces(f *testing.F) {
	f.Add([]byte("\x00aone{}\x01btwo{}\x00c"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var a assembler
		total := 0
		for ; len(data) >= 4; data = data[4:] {
			p := CallPiece{Index: int64(int8(data[0])), Arguments: string(data[3:4])}
			if data[1] > 128 {
				p.ID = string(data[1:2])
			}
			if data[2] > 128 {
				p.Name = string(data[2:3])
			}
			if a.add(p) {
				total += len(p.Arguments)
			}
		}
		for _, c := range a.finish("reply", true) {
			total -= len(c.Arguments)
			if c.ID == "" {
				t.Errorf("call %+v cannot be answered", c)
			}
		}
		if total != 0 {
			t.Errorf("%d bytes of arguments are lost", total)
		}
	})
}
