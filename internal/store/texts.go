package store

import "github.com/nestorhq/nestor"

// Teller is a [Reader] that tells the different texts which a field has in the documents
// of a query, on all its pages, without handing them out.
type Teller interface {
	Texts(q Query, field string) ([]string, error)
}

// Texts are the different texts that a field has in the documents that q asks for, in no
// order. A reader that is no [Teller] has all of them looked at.
func Texts(r Reader, q Query, field string) (texts []string, err error) {
	if err := checkField(field); err != nil {
		return nil, err
	}
	if t, ok := r.(Teller); ok {
		return t.Texts(q, field)
	}
	seen := map[string]bool{}
	err = Each(r, q, func(_ nestor.Path, d *map[string]any) {
		if text, ok := lookup(*d, field).(string); ok && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	})
	return texts, err
}
