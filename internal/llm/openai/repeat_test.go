package openai

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestChunksThatRepeatThemselvesAreDecodedLikeAllOthers(t *testing.T) {
	text := func(literal string) string {
		return `{"id":"c1","created":1,"choices":[{"index":0,"delta":{"content":` + literal + `},"logprobs":null,"finish_reason":null}],"usage":null}`
	}
	call := func(literal string) string {
		return `{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":` + literal + `}}]}}]}`
	}
	for _, tt := range []struct {
		name   string
		chunks []string
		frames int
	}{
		{"plain text", []string{text(`"a"`), text(`"b c"`), text(`"é"`), text(`""`)}, 1},
		{"escapes", []string{text(`"\n"`), text(`"say \"a\""`), text(`"\u00e9\ud83d\ude00"`), text(`"\\"`)}, 1},
		{"invalid UTF-8", []string{text(`"a"`), text("\"\xff\"")}, 1},
		{"other types", []string{text(`"a"`), text(`null`), text(`1`), text(`["a"]`), text(` "a"`)}, 1},
		{"no JSON", []string{text(`"a"`), text(`"a`), text(`"a","b"`), text("\"\n\"")}, 1},
		{"more in the middle", []string{text(`"a"`), text(`"a","refusal":"b"`), text(`"a"},"delta":{"content":"b"`)}, 2},
		{"a call", []string{call(`"{"`), call(`"\"x\""`), call(`"}"`)}, 1},
		{"a text and a call", []string{text(`"a"`), call(`"{"`), text(`"b"`), call(`"}"`)}, 2},
		{"another end", []string{text(`"a"`), strings.Replace(text(`"b"`), `"finish_reason":null`, `"finish_reason":"stop"`, 1)}, 2},
		{"another beginning", []string{text(`"a"`), strings.Replace(text(`"b"`), "c1", "c2", 1)}, 2},
		{"the field twice", []string{`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"c","content":"b"}}]}`}, 0},
		{"the field elsewhere", []string{`{"content":"x","choices":[{"delta":{"content":"a"}}]}`, `{"content":"y","choices":[{"delta":{"content":"a"}}]}`}, 0},
		{"the same text elsewhere", []string{`{"content":"a","choices":[{"delta":{"content":"a"}}]}`, `{"content":"b","choices":[{"delta":{"content":"a"}}]}`}, 0},
		{"always something new", []string{
			strings.Replace(text(`"a"`), "{", `{"x":1,`, 1), strings.Replace(text(`"a"`), "{", `{"x":2,`, 1),
			strings.Replace(text(`"a"`), "{", `{"x":3,`, 1), strings.Replace(text(`"a"`), "{", `{"x":4,`, 1),
			strings.Replace(text(`"a"`), "{", `{"x":5,`, 1), strings.Replace(text(`"a"`), "{", `{"x":6,`, 1),
		}, maxTries},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r repeats
			for _, data := range tt.chunks {
				compare(t, &r, data)
			}
			if len(r.frames) != tt.frames {
				t.Errorf("%d frames are known, want %d", len(r.frames), tt.frames)
			}
		})
	}
}

func TestAnyTextIsDecodedAsItWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r repeats
		for range 5 {
			literal, err := json.Marshal(rapid.String().Draw(t, "text"))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, &r, `{"id":"c1","choices":[{"delta":{"content":`+string(literal)+`}}]}`)
		}
	})
}

func compare(t interface{ Errorf(string, ...any) }, r *repeats, data string) {
	got, gotErr := r.decode([]byte(data))
	want, wantErr := decodeChunk([]byte(data))
	if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(*got, want) {
		t.Errorf("%s is decoded as\n     %+v, %v\nwant %+v, %v", data, got, gotErr, want, wantErr)
	}
}
