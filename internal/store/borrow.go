package store

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
)

// A result is told twice: in the call of a tool and in the message that answers
// the call. It is stored once, in the message. The row of the call says that it
// borrows, and whoever reads the row reads the message along, in the same
// statement. Above the store nobody can tell.
//
// A call borrows when one transaction writes both with the same text, as the one
// that ends a call does. Before a message is deleted, or says something else, the
// call that borrows from it gets a copy of its own. Calls that never borrowed,
// such as those of older programs, have one anyway.

// Borrowing says where the text of a field may be stored instead.
type Borrowing struct {
	// Field is whose text it is, and Lender the collection that has it, too: in the
	// field Text of the document beside the borrower whose field ID names that.
	Field    string
	Lender   *Collection
	Text, ID string
}

// borrowed stands in a row in the place of the field and its text. No body has it
// otherwise: in canonical JSON no space follows a colon, and in a text the quotes
// would be escaped.
const borrowed = `"resultIn": "answer"`

// leastBorrowed is the length of a text that is worth it.
const leastBorrowed = 64

// loans is what matters to borrowers about a batch of writes, by their paths.
type loans struct {
	texts map[nestor.Path]string // that they may borrow when all of the batch is written
	gone  map[nestor.Path]bool   // the borrowers that the batch deletes
}

func (c *Catalogue) loans(events []*Event) loans {
	l := loans{map[nestor.Path]string{}, map[nestor.Path]bool{}}
	seen := map[nestor.Path]bool{}
	for _, e := range slices.Backward(events) { // of several writes of a document the last one counts
		of := c.Of(e.Path)
		to := c.lendsTo(of)
		if of.Borrows == nil && to == nil || seen[e.Path] {
			continue
		}
		seen[e.Path] = true
		if e.Type == nestor.Delete {
			l.gone[e.Path] = of.Borrows != nil
		}
		if to == nil {
			continue
		}
		body := e.AfterBody()
		id, _ := body[to.Borrows.ID].(string)
		if text, _ := body[to.Borrows.Text].(string); id != "" && len(text) >= leastBorrowed {
			l.texts[beside(e.Path, to, id)] = text
		}
	}
	return l
}

// lendsTo is the collection whose documents borrow from those of another, nil if none do.
func (c *Catalogue) lendsTo(of *Collection) *Collection {
	for _, b := range c.borrowers {
		if b.Borrows.Lender == of {
			return b
		}
	}
	return nil
}

// beside is the path of a document of another collection below the same parent.
func beside(p nestor.Path, other *Collection, id string) nestor.Path {
	return p.Parent().Child(other.segments[len(other.segments)-1], id)
}

// row is the body of e's document as its table keeps it.
func (c *Collection) row(e *Event, l loans) []byte {
	row := e.row
	if c.Borrows == nil {
		return row
	}
	text, ok := l.texts[e.Path]
	if !ok || e.AfterBody()[c.Borrows.Field] != text {
		return row
	}
	own := appendText(fmt.Appendf(nil, "%q:", c.Borrows.Field), text)
	if bytes.Count(row, own) != 1 {
		return row // it has the same somewhere else, too: which is the field is not worth finding out
	}
	return bytes.Replace(row, own, []byte(borrowed), 1)
}

// whole is the body of a row with what it borrows, which is JSON.
func (c *Collection) whole(row, text []byte) ([]byte, error) {
	if c.Borrows == nil {
		return row, nil
	}
	before, after, borrows := bytes.Cut(row, []byte(borrowed))
	if !borrows {
		return row, nil
	}
	if text == nil {
		return nil, nestor.Errorf(nestor.CodeInternal, "a document of %s borrows its %s, and nobody has it", c.Name, c.Borrows.Field)
	}
	return fmt.Appendf(nil, "%s%q:%s%s", before, c.Borrows.Field, text, after), nil
}

// returns is the path of the document that borrows, if any does, what the document
// of e will no longer have.
func (c *Catalogue) returns(e *Event, l loans) nestor.Path {
	if e.Before == nil {
		return ""
	}
	to := c.lendsTo(c.Of(e.Path))
	if to == nil || !bytes.Contains(e.Before.Data, []byte(to.Borrows.ID)) {
		return ""
	}
	before, after := e.BeforeBody(), e.AfterBody()
	id, _ := before[to.Borrows.ID].(string)
	if id == "" || after[to.Borrows.ID] == id && after[to.Borrows.Text] == before[to.Borrows.Text] {
		return ""
	}
	if p := beside(e.Path, to, id); !l.gone[p] {
		return p
	}
	return ""
}

// Selected are the columns that a row is read by: those of [Collection.Columns] and,
// if its documents borrow, what this one does.
func (c *Collection) Selected() []string { return append(c.Columns(), c.alsoSelected()...) }

func (c *Collection) alsoSelected() []string {
	if c.Borrows == nil {
		return nil
	}
	return []string{"CASE WHEN " + c.borrowsSQL() + " THEN " + c.lentSQL() + " END"}
}

// borrowsSQL is whether a row borrows.
func (c *Collection) borrowsSQL() string { return "CAST(body AS text) LIKE '%" + borrowed + "%'" }

// lentSQL is the text that a row may borrow, as JSON.
func (c *Collection) lentSQL() string {
	b := c.Borrows
	text := "(SELECT lender.body -> '" + b.Text + "' FROM " + b.Lender.Name + " AS lender WHERE "
	for _, k := range c.Keys {
		text += "lender." + k.Column + " = " + c.Name + "." + k.Column + " AND "
	}
	return text + "lender." + snake(b.ID) + " = " + c.Name + ".id)"
}

// wholeSQL is the body of a row with what it borrows.
func (c *Collection) wholeSQL(d Dialect) string {
	return d.JSON("replace(CAST(body AS text), '" + borrowed + `', '"` + c.Borrows.Field + `":' || COALESCE(CAST(` + c.lentSQL() + " AS text), ''))")
}

// ReturnSQL is the statement that gives a row that borrows a copy of its own. Its
// arguments are those of [Collection.Identity].
func (c *Collection) ReturnSQL(d Dialect) string {
	text := "UPDATE " + c.Name + " SET body = " + c.wholeSQL(d) + " WHERE "
	for i, k := range append(c.KeyColumns(), "id") {
		text += k + " = " + d.Placeholder(i+1) + " AND "
	}
	return text + c.borrowsSQL()
}
