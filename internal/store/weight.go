package store

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// documentWeight is how many bytes a document takes beside its body: its row, and its
// places in indexes.
const documentWeight = 256

// Weight is how many bytes of disk a document stands for: those of its body and its row,
// and of what it says lies elsewhere ([Collection.Stands]). That of nil is 0.
func (c *Catalogue) Weight(d *nestor.Document) int64 {
	if d == nil {
		return 0
	}
	weight := int64(len(d.Data)) + documentWeight
	if field := c.Of(d.Path).Stands; field != "" {
		var body map[string]json.RawMessage
		var elsewhere int64
		if json.Unmarshal(d.Data, &body) == nil && json.Unmarshal(body[field], &elsewhere) == nil {
			weight += elsewhere
		}
	}
	return weight
}

// Weighing is how an engine weighs rows in SQL: Size is the bytes of the column body,
// Mark the placeholder of the nth argument, and Number a number of a text.
type Weighing struct {
	Size         string
	Mark, Number func(string) string
}

// Weigh calls sum with the statements that together weigh what lies below a user,
// users/{id}, or what lies in the chats of an account, accounts/{id}, and adds up
// the results.
func (c *Catalogue) Weigh(of nestor.Path, w Weighing, sum func(text string, args ...any) (int64, error)) (total int64, err error) {
	add := func(t *Collection, from, where string, args ...any) {
		if err != nil {
			return
		}
		weight := strings.ReplaceAll(w.Size, "body", t.Name+".body") + " + " + strconv.Itoa(documentWeight)
		if t.Stands != "" {
			weight += " + " + w.Number(t.Name+".body ->> '"+t.Stands+"'")
		}
		var n int64
		n, err = sum("SELECT coalesce(sum("+weight+"), 0) FROM "+from+" WHERE "+where, args...)
		total += n
	}
	if account, ok := strings.CutPrefix(string(of), "accounts/"); ok {
		for _, t := range c.all {
			switch keys := t.KeyColumns(); {
			case t == Chats:
				add(t, "chats", "account_id = "+w.Mark("1"), account)
			case len(keys) > 2 && keys[0] == "user_id" && keys[1] == "chat_id":
				add(t, "chats CROSS JOIN "+t.Name, "chats.account_id = "+w.Mark("1")+" AND "+t.Name+".user_id = chats.user_id AND "+t.Name+".chat_id = chats.id", account)
			}
		}
		return total, err
	}
	for _, t := range c.all {
		if ids, ok := t.Under(of); ok && len(ids) == 1 {
			add(t, t.Name, t.KeyColumns()[0]+" = "+w.Mark("1"), ids[0])
		}
	}
	add(UserDocuments, "documents", "collection >= "+w.Mark("1")+" AND collection < "+w.Mark("2"), string(of)+"/", string(of)+"0")
	return total, err
}
