package condense

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/llm"
)

// leastPiece is the number of tokens below which no text is cut: the note that
// says so may take most of it.
const leastPiece = 160

// cutOversized cuts what would not fit beside a summary, and so could never be
// sent, to half of the room. Results that get a stub anyway are left to that.
func (v *view) cutOversized() {
	unseen := v.unseen()
	for i := v.first; i < len(v.turns); i++ {
		stubbed := v.readable && i < unseen && v.turns[i].Message.Role == llm.RoleTool
		if !stubbed && v.sizes[i] > v.room-v.summary-v.reserve {
			v.show(i, v.squeeze(v.turns[i:i+1], v.room/2)[0])
		}
	}
}

// squeeze returns turns that take at most room, if that is possible: the
// longest texts are cut first, so that all that are cut end up equally long.
// Reasoning and media, which cannot be cut, are left out if nothing else helps.
func (c cutter) squeeze(turns []Turn, room int) []Turn {
	if c.all(turns) <= room {
		return turns
	}
	frame, lengths := c.measure(turns)
	if room-frame < lowest(lengths) {
		turns = withoutOpaque(turns)
		frame, lengths = c.measure(turns)
	}
	level := max(waterLevel(lengths, room-frame), leastPiece)
	cut := slices.Clone(turns)
	for i, t := range cut {
		cut[i].Message.Parts = slices.Clone(t.Message.Parts)
		for j, p := range t.Message.Parts {
			cut[i].Message.Parts[j] = c.cutPart(p, level)
		}
	}
	return cut
}

// least is what squeeze can reach.
func (c cutter) least(turns []Turn) int {
	frame, lengths := c.measure(withoutOpaque(turns))
	return frame + lowest(lengths)
}

// lowest is the sum of the lengths when all are cut as far as possible.
func lowest(lengths []int) int {
	n := 0
	for _, length := range lengths {
		n += min(length, leastPiece)
	}
	return n
}

// measure tells apart what can be cut, as the lengths of the texts, and what
// cannot.
func (c cutter) measure(turns []Turn) (frame int, lengths []int) {
	for _, t := range turns {
		t.Message.Parts = slices.Clone(t.Message.Parts)
		for j, p := range t.Message.Parts {
			text := ""
			switch p := p.(type) {
			case llm.Text:
				text = p.Text
				t.Message.Parts[j] = llm.Text{}
			case llm.ToolCall:
				text, p.Arguments = p.Arguments, ""
				t.Message.Parts[j] = p
			case llm.ToolResult:
				text, p.Content = p.Content, ""
				t.Message.Parts[j] = p
			default:
				continue
			}
			lengths = append(lengths, c.text(text))
		}
		frame += c.turn(t)
	}
	return frame, lengths
}

// waterLevel is the largest length that, when nothing is longer, lets all
// together take at most room. If they do anyway it is without bound.
func waterLevel(lengths []int, room int) int {
	sorted := slices.Sorted(slices.Values(lengths))
	for i, length := range sorted {
		if left := len(sorted) - i; length*left > room {
			return room / left
		}
		room -= length
	}
	return math.MaxInt
}

func (c cutter) cutPart(p llm.Part, limit int) llm.Part {
	switch p := p.(type) {
	case llm.Text:
		p.Text = c.cut(p.Text, limit, "")
		return p
	case llm.ToolResult:
		id := ""
		if c.readable {
			id = p.CallID
		}
		p.Content = c.cut(p.Content, limit, id)
		return p
	case llm.ToolCall:
		if c.text(p.Arguments) > limit {
			size := func(text string) int { return c.text(shortened(text)) }
			p.Arguments = shortened(cutMiddle(p.Arguments, limit, size, ""))
		}
		return p
	default:
		return p
	}
}

// shortened makes a JSON object of arguments that were cut, because some
// providers take nothing else.
func shortened(arguments string) string {
	text, err := json.Marshal(map[string]string{"shortened": arguments})
	if err != nil {
		panic(err) // a map of strings always encodes
	}
	return string(text)
}

func (s scale) cut(text string, limit int, id string) string {
	if s.text(text) <= limit {
		return text
	}
	return cutMiddle(text, limit, s.text, id)
}

// cutMiddle keeps so much of the head and the tail of a text that it measures
// at most limit, with a note between them. With an id the note says how to read
// what is missing. If there is no room for the note, an ellipsis is left.
func cutMiddle(text string, limit int, size func(string) int, id string) string {
	how := ""
	if id != "" {
		how = fmt.Sprintf("; %s reads them by the id %q", readTool, id)
	}
	characters := utf8.RuneCountInString(text)
	measured := size(text)
	for keep := len(text); keep > 0 && limit > 0; {
		keep = min(int(int64(keep)*int64(limit)/int64(max(measured, 1))), keep*9/10)
		head, tail := text[:atRune(text, keep*2/3)], text[atRune(text, len(text)-keep/3):]
		from, to := utf8.RuneCountInString(head), characters-utf8.RuneCountInString(tail)
		short := fmt.Sprintf("%s\n[… characters %d to %d are left out here%s …]\n%s", head, from, to, how, tail)
		if measured = size(short); measured <= limit {
			return short
		}
	}
	return "…"
}

// atRune moves i back to the start of a character.
func atRune(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// withoutOpaque leaves out what cannot be cut.
func withoutOpaque(turns []Turn) []Turn {
	turns = slices.Clone(turns)
	for i, t := range turns {
		var parts []llm.Part
		media := 0
		t, _ = withoutResultMedia(t)
		for _, p := range t.Message.Parts {
			switch p.(type) {
			case llm.Reasoning:
			case llm.Media:
				media++
			default:
				parts = append(parts, p)
			}
		}
		switch {
		case media > 0:
			parts = append(parts, llm.Text{Text: fmt.Sprintf("[%d images or files are left out here]", media)})
		case len(parts) == 0:
			parts = append(parts, llm.Text{Text: "[reasoning is left out here]"})
		}
		turns[i].Message.Parts = parts
	}
	return turns
}
