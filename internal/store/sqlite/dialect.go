package sqlite

import (
	"strconv"
	"strings"
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

func (dialect) JSON(text string) string { return text }

func (dialect) NumberArg(placeholder string) string { return placeholder }

func (dialect) NumberValue(v any) any { return v }
