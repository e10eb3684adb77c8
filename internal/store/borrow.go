package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// What a tool is asked and what it answers is told twice: in the call, and in the two
// messages of the conversation. It is stored once, in the messages. The row of the call
// says that it borrows, and whoever reads the row reads the messages along, in the same
// statement. Above the store nobody can tell.
//
// A call borrows when one transaction writes both with the same value: the arguments
// when the call is made, the result when it ends. A later write of the call that leaves
// the arguments as they are leaves it to the row whether they are borrowed. Before a
// message is deleted, or says something else, the calls that borrow from it get copies
// of their own. Calls that never borrowed, such as those of older programs, have them
// anyway.

// Borrowing says where the value of a field may be stored instead.
type Borrowing struct {
	// Field is whose value it is, and Lender the collection of the document beside the
	// borrower that has it, too.
	Field  string
	Lender *Collection
	// Mark stands in a row in the place of the field and its value. No body has it
	// otherwise: in canonical JSON no space follows a colon, and in a text the quotes
	// would be escaped.
	Mark string
	// Kept says that later writes leave the value as it is. It is so of one field.
	Kept bool
	// names is the borrower's field that names the lender, "" if the lender names the borrower.
	names string

	// lent tells the values that a lender has, as JSON, by the ids of the borrowers. If
	// asWritten is set it is JSON of somebody else's writing, and else as rows have it.
	lent      func(lender map[string]any) map[string]string
	asWritten bool
	// valueSQL is the value in a row of the lender, as JSON. List, if set, is the field of
	// the lender that has a list, of which an item lends: then valueSQL is about item.value.
	valueSQL, list string
	// matchSQL finds the lender, and the item, of a row of the borrower.
	matchSQL string
}

// resultInAnswer: a message of role tool has the result of the call that it answers.
func resultInAnswer(messages *Collection) *Borrowing {
	return &Borrowing{
		Field: "result", Lender: messages, Mark: `"resultIn": "answer"`,
		lent: func(m map[string]any) map[string]string {
			id, _ := m["toolCallId"].(string)
			text, _ := m["content"].(string)
			if id == "" || len(text) < leastBorrowed {
				return nil
			}
			return map[string]string{id: string(appendText(nil, text))}
		},
		valueSQL: "lender.body -> 'content'",
		matchSQL: "lender.tool_call_id = sub_agent_tool_calls.id",
	}
}

// argsInMessage: the message of a model that calls tools has their arguments, in a text
// that is JSON as the model wrote it.
func argsInMessage(messages *Collection) *Borrowing {
	return &Borrowing{
		Field: "args", Lender: messages, Mark: `"argsIn": "message"`, Kept: true, names: messageID,
		lent: func(m map[string]any) map[string]string {
			calls, _ := m["toolCalls"].([]any)
			lent := make(map[string]string, len(calls))
			for _, c := range calls {
				call, _ := c.(map[string]any)
				function, _ := call["function"].(map[string]any)
				id, _ := call["id"].(string)
				text, _ := function["arguments"].(string)
				if _, twice := lent[id]; twice {
					text = "" // the database could not tell which is meant
				}
				lent[id] = text
			}
			maps.DeleteFunc(lent, func(_, text string) bool { return len(text) < leastBorrowed })
			return lent
		},
		asWritten: true,
		valueSQL:  "item.value -> 'function' ->> 'arguments'", list: "toolCalls",
		matchSQL: "lender.id = sub_agent_tool_calls.body ->> '" + messageID + "' AND item.value ->> 'id' = sub_agent_tool_calls.id",
	}
}

const messageID = "messageId"

// leastBorrowed is the length of a value that is worth it.
const leastBorrowed = 64

// own is what stands in a row that does not borrow: the field and its value.
func (b *Borrowing) own(value []byte) []byte {
	return slices.Concat(appendText(nil, b.Field), []byte{':'}, value)
}

// canonical is what a lender has in the form in which rows have it. It fails if the difference
// is more than spaces and the order of fields: then a query of the database, which sees the
// JSON as it was written, could take it for something else.
func (b *Borrowing) canonical(written []byte) (value []byte, ok bool) {
	if !b.asWritten {
		return written, written != nil
	}
	v, err := jsonvalue.Decode(written, 1)
	if err != nil {
		return nil, false
	}
	if value, err = appendValue(nil, v); err != nil || bytes.Equal(value, written) {
		return value, err == nil
	}
	var short bytes.Buffer
	if json.Compact(&short, written) != nil {
		return nil, false
	}
	var count [256]int
	for _, c := range short.Bytes() {
		count[c]++
	}
	for _, c := range value {
		count[c]--
	}
	return value, count == [256]int{}
}

// loans is what matters to borrowers about a batch of writes.
type loans struct {
	values map[loan]string      // that they may borrow when all of the batch is written
	gone   map[nestor.Path]bool // the borrowers that the batch deletes
}

// loan is a field of a borrower, and the id of the lender if the borrower names it.
type loan struct {
	borrower      nestor.Path
	field, lender string
}

// lenderOf is the id of the document that a borrower names, "" if that names the borrower.
func (b *Borrowing) lenderOf(borrower map[string]any) string {
	if b.names == "" {
		return ""
	}
	id, _ := borrower[b.names].(string)
	return id
}

func (c *Catalogue) loans(events []*Event) loans {
	l := loans{map[loan]string{}, map[nestor.Path]bool{}}
	seen := map[nestor.Path]bool{}
	for _, e := range slices.Backward(events) { // of several writes of a document the last one counts
		of := c.Of(e.Path)
		lends := c.lendsTo(of)
		if of.Borrows == nil && lends == nil || seen[e.Path] {
			continue
		}
		seen[e.Path] = true
		if e.Type == nestor.Delete {
			l.gone[e.Path] = of.Borrows != nil
		}
		if lends == nil {
			continue
		}
		for _, b := range lends.Borrows {
			for id, value := range b.lent(e.AfterBody()) {
				l.values[loan{beside(e.Path, lends, id), b.Field, b.lenderID(e.Path)}] = value
			}
		}
	}
	return l
}

// lenderID is [Borrowing.lenderOf] of those who borrow from the document at p.
func (b *Borrowing) lenderID(p nestor.Path) string {
	if b.names == "" {
		return ""
	}
	return p.ID()
}

// lendsTo is the collection whose documents borrow from those of another, nil if none do.
func (c *Catalogue) lendsTo(of *Collection) *Collection {
	for _, b := range c.borrowers {
		if b.Borrows[0].Lender == of {
			return b
		}
	}
	return nil
}

// beside is the path of a document of another collection below the same parent.
func beside(p nestor.Path, other *Collection, id string) nestor.Path {
	return p.Parent().Child(other.segments[len(other.segments)-1], id)
}

// rows are the body of e's document as its table keeps it, and as it keeps it if what a
// later write leaves as it is has been borrowed before.
func (c *Collection) rows(e *Event, l loans) (row, ifBorrowed []byte) {
	row = e.row
	for _, b := range c.Borrows {
		written, ok := l.values[loan{e.Path, b.Field, b.lenderOf(e.AfterBody())}]
		if !ok {
			continue
		}
		if lent, ok := b.canonical([]byte(written)); ok && bytes.Equal(lent, b.value(e.AfterBody())) {
			row = b.replaced(row, lent)
		}
	}
	ifBorrowed = row
	for _, b := range c.Borrows {
		if !b.Kept || e.Before == nil {
			continue
		}
		now, then := e.AfterBody(), e.BeforeBody()
		if value := b.value(now); value != nil && bytes.Equal(value, b.value(then)) && b.lenderOf(now) == b.lenderOf(then) {
			ifBorrowed = b.replaced(ifBorrowed, value)
		}
	}
	return row, ifBorrowed
}

// value is that of the field in a body, as rows have it, nil if there is none.
func (b *Borrowing) value(body map[string]any) []byte {
	v, ok := body[b.Field]
	if !ok {
		return nil
	}
	value, err := appendValue(nil, v)
	if err != nil {
		return nil
	}
	return value
}

// replaced is a row that borrows a value which it has.
func (b *Borrowing) replaced(row, value []byte) []byte {
	own := b.own(value)
	if bytes.Count(row, own) != 1 {
		return row // it has the same somewhere else, too: which is the field is not worth finding out
	}
	return bytes.Replace(row, own, []byte(b.Mark), 1)
}

// whole is the body of a row with what it borrows, given in the order of [Collection.Borrows].
func (c *Collection) whole(row []byte, lent [][]byte) ([]byte, error) {
	for i, b := range c.Borrows {
		before, after, borrows := bytes.Cut(row, []byte(b.Mark))
		if !borrows {
			continue
		}
		value, ok := b.canonical(lent[i])
		if !ok {
			return nil, nestor.Errorf(nestor.CodeInternal, "a document of %s borrows its %s, and nobody has it", c.Name, b.Field)
		}
		row = slices.Concat(before, b.own(value), after)
	}
	return row, nil
}

// Return says that a document which may borrow has to get a copy of its own, by
// [Collection.ReturnSQL], since the lender will no longer have the value.
type Return struct {
	Path      nestor.Path
	Mark, Own string
	Lender    string // that the document must name, "" for any
}

// Returns are those of a batch of writes. They come before all of its writes: after these
// somebody may borrow what a lender has got in the same batch.
func Returns(writes []Write) (all []Return) {
	for i := range writes {
		all = append(all, writes[i].Returns...)
	}
	return all
}

// Args are those of the statement.
func (r Return) Args(c *Collection) []any { return append(c.Identity(r.Path), r.Mark, r.Own, r.Lender) }

func (c *Catalogue) returns(e *Event, l loans) (list []Return) {
	if e.Before == nil {
		return nil
	}
	lends := c.lendsTo(c.Of(e.Path))
	if lends == nil {
		return nil
	}
	for _, b := range lends.Borrows {
		had := b.lent(e.BeforeBody())
		if len(had) == 0 {
			continue
		}
		has := b.lent(e.AfterBody())
		for id, written := range had {
			p := beside(e.Path, lends, id)
			if value, ok := b.canonical([]byte(written)); ok && has[id] != written && !l.gone[p] {
				list = append(list, Return{p, b.Mark, string(b.own(value)), b.lenderID(e.Path)})
			}
		}
	}
	return list
}

// ReturnSQL is the statement that gives a row that borrows a copy of its own. Its
// arguments are those of [Return.Args].
func (c *Collection) ReturnSQL(d Dialect) string {
	var match []string
	for i, k := range append(c.KeyColumns(), "id") {
		match = append(match, k+" = "+d.Placeholder(i+1))
	}
	mark, own, lender := d.Placeholder(len(match)+1), d.Placeholder(len(match)+2), d.Placeholder(len(match)+3)
	return "UPDATE " + c.Name + " SET body = " + d.JSON("replace(CAST(body AS text), "+mark+", "+own+")") +
		" WHERE " + strings.Join(match, " AND ") + " AND CAST(body AS text) LIKE '%' || " + mark + " || '%'" +
		" AND (CAST(" + lender + " AS text) = '' OR body ->> '" + messageID + "' = " + lender + ")"
}

// KeptSQL is whether a row borrows what later writes leave as it is. Table is the name that
// its table has in the statement.
func (c *Collection) KeptSQL(table string) string {
	kept := slices.IndexFunc(c.Borrows, func(b *Borrowing) bool { return b.Kept })
	return c.Borrows[kept].borrowsSQL(table)
}

// Selected are the columns that a row is read by: those of [Collection.Columns] and,
// if its documents borrow, what this one does.
func (c *Collection) Selected(d Dialect) []string {
	columns := c.Columns()
	for _, b := range c.Borrows {
		columns = append(columns, "CASE WHEN "+b.borrowsSQL(c.Name)+" THEN "+b.lentSQL(c, d)+" END")
	}
	return columns
}

// borrowsSQL is whether a row borrows.
func (b *Borrowing) borrowsSQL(table string) string {
	return "CAST(" + table + ".body AS text) LIKE '%" + b.Mark + "%'"
}

// lentSQL is the value that a row may borrow, as JSON.
func (b *Borrowing) lentSQL(c *Collection, d Dialect) string {
	from := b.Lender.Name + " AS lender"
	if b.list != "" {
		from += ", " + d.Items("lender.body -> '"+b.list+"'")
	}
	text := "(SELECT " + b.valueSQL + " FROM " + from + " WHERE "
	for _, k := range c.Keys {
		text += "lender." + k.Column + " = " + c.Name + "." + k.Column + " AND "
	}
	return text + b.matchSQL + ")"
}

// wholeSQL is the body of a row with a value that it may borrow.
func (b *Borrowing) wholeSQL(c *Collection, d Dialect) string {
	return d.JSON("replace(CAST(" + c.Name + ".body AS text), '" + b.Mark + `', '"` + b.Field + `":' || COALESCE(CAST(` + b.lentSQL(c, d) + " AS text), ''))")
}
