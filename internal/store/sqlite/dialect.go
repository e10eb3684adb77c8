package sqlite

import (
	"strconv"
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

// dialect implements [store.Dialect].
type dialect struct{}

func (dialect) Placeholder(n int) string { return "?" + strconv.Itoa(n) }

func jsonPath(field string) string {
	return `'$."` + strings.ReplaceAll(field, ".", `"."`) + `"'`
}

func (dialect) Text(field string) string {
	p := jsonPath(field)
	return "CASE json_type(body, " + p + ") WHEN 'text' THEN body ->> " + p + " END"
}

func (dialect) Number(field string) string {
	p := jsonPath(field)
	return "CASE WHEN json_type(body, " + p + ") IN ('integer', 'real') THEN body ->> " + p + " END"
}

func (dialect) Bool(field string) string {
	return "CASE json_type(body, " + jsonPath(field) + ") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
}

func (dialect) Rank(field string) string {
	return "CASE COALESCE(json_type(body, " + jsonPath(field) + "), 'null') WHEN 'null' THEN 0 WHEN 'true' THEN 1 " +
		"WHEN 'false' THEN 1 WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 ELSE 4 END"
}

// Within has the rows found in a covering index first. Left to itself, the planner reads all
// rows of a user to find the few that are young enough.
func (dialect) Within(from, where string) string {
	return "rowid IN (SELECT rowid FROM " + from + " WHERE " + where + ")"
}

// Contains is quick for ASCII, in which lower knows case, as it does nowhere else.
func (dialect) Contains(text, word string, arg func(any) string) string {
	if store.IsASCII(word) {
		return "instr(lower(" + text + "), " + arg(word) + ") > 0"
	}
	var glob strings.Builder
	glob.WriteByte('*')
	for _, r := range word {
		if r == '^' { // as the first in brackets it would mean all others
			glob.WriteRune(r)
			continue
		}
		glob.WriteString("[" + string(store.Forms(r)) + "]")
	}
	glob.WriteByte('*')
	return text + " GLOB " + arg(glob.String())
}

func (dialect) JSON(text string) string { return text }

func (dialect) Items(list string) string { return "json_each(" + list + ") AS item" }

func (dialect) NumberArg(placeholder string) string { return placeholder }

func (dialect) NumberValue(v any) any { return v }
