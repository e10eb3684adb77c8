package jsonvalue

import (
	"regexp"
	"strings"
)

var (
	validating  = regexp.MustCompile(`^validating (\S+): `)
	lastName    = regexp.MustCompile(`/properties/([^/]+)$`)
	lastItem    = regexp.MustCompile(`/(items|prefixItems/\d+)$`)
	wholeRat    = regexp.MustCompile(`\b(\d+)/1\b`)
	wholeFloat  = regexp.MustCompile(`\b(\d+)\.000000\b`)
	namedFields = regexp.MustCompile(`^(?:unexpected additional properties|required: missing properties:) \["([^"]+)"`)
	// Go prints objects and lists in a form of its own.
	printedValue = regexp.MustCompile(`(?s)^(type|enum|const): (?:map\[|\[).*( has type | does not equal )`)
	printedItem  = regexp.MustCompile(`(?s)^contains: .* does not have an item matching .*$`)
	schemas      = regexp.MustCompile(`(?s)\[?<anonymous schema>.*$`)
)

// Violation words what a validator of JSON Schema says of a value: the path of the field
// that is wrong, as "budget.tokens: ", and the reason. The path is told by itself, too; it is
// "" for the value as a whole.
func Violation(err error) (text, field string) {
	text = err.Error()
	var path strings.Builder
	for {
		m := validating.FindStringSubmatch(text)
		if m == nil {
			break
		}
		text = text[len(m[0]):]
		if name := lastName.FindStringSubmatch(m[1]); name != nil {
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(name[1])
		} else if lastItem.MatchString(m[1]) {
			path.WriteString("[]")
		}
	}
	text = wholeFloat.ReplaceAllString(wholeRat.ReplaceAllString(text, "$1"), "$1")
	text = strings.ReplaceAll(text, "<invalid reflect.Value>", "null")
	text = printedValue.ReplaceAllString(text, "$1: it$2")
	text = printedItem.ReplaceAllString(text, "contains: no item is as it must be")
	text = schemas.ReplaceAllString(text, "the forms that are allowed")
	field = path.String()
	if named := namedFields.FindStringSubmatch(text); named != nil {
		field = strings.TrimPrefix(field+"."+named[1], ".")
	}
	if path.Len() == 0 {
		return text, field
	}
	return path.String() + ": " + text, field
}
