package postgres

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

// dialect implements [store.Dialect].
type dialect struct{}

func (dialect) Placeholder(n int) string { return "$" + strconv.Itoa(n) }

// value is the field as JSON, found through objects only, as SQLite does.
func value(field string) string {
	return "body -> '" + strings.ReplaceAll(field, ".", "' -> '") + "'"
}

// text is the field as text.
func text(field string) string {
	v := value(field)
	i := strings.LastIndex(v, "-> ")
	return v[:i] + "->> " + v[i+len("-> "):]
}

func (dialect) Text(field string) string {
	return "CASE json_typeof(" + value(field) + ") WHEN 'string' THEN " + text(field) + ` END COLLATE "C"`
}

func (dialect) Number(field string) string {
	return "CASE json_typeof(" + value(field) + ") WHEN 'number' THEN (" + text(field) + ")::numeric END"
}

func (dialect) Bool(field string) string {
	return "CASE json_typeof(" + value(field) + ") WHEN 'boolean' THEN CASE " + text(field) + " WHEN 'true' THEN 1 ELSE 0 END END"
}

func (dialect) Rank(field string) string {
	return "CASE COALESCE(json_typeof(" + value(field) + "), 'null') WHEN 'null' THEN 0 WHEN 'boolean' THEN 1 " +
		"WHEN 'number' THEN 2 WHEN 'string' THEN 3 ELSE 4 END"
}

// Within leaves it to the planner, which knows how many rows are how old.
func (dialect) Within(_, where string) string { return where }

// Contains asks for the case of ASCII only, where the collation C makes lower know no other.
func (dialect) Contains(text, word string, arg func(any) string) string {
	text = "(" + text + `) COLLATE "C"`
	if store.IsASCII(word) {
		return "strpos(lower(" + text + "), " + arg(word) + ") > 0"
	}
	var pattern strings.Builder
	for _, r := range word {
		if forms := store.Forms(r); len(forms) > 1 {
			pattern.WriteString("[" + string(forms) + "]") // letters, all of them
		} else {
			pattern.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return text + " ~ " + arg(pattern.String())
}

func (dialect) JSON(text string) string { return "CAST(" + text + " AS json)" }

func (dialect) Items(list string) string {
	return "json_array_elements(" + list + ") AS item (value)"
}

func (dialect) NumberArg(placeholder string) string { return "(" + placeholder + "::text)::numeric" }

// NumberValue is the number's text, so that neither integers nor fractions are
// rounded on the way.
func (dialect) NumberValue(v any) any {
	b, _ := json.Marshal(v) // int64 or float64
	return string(b)
}
