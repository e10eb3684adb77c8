package account

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Accounts returns the accounts a user has a part in, in the order of joining.
func Accounts(r store.Reader, userID string) ([]*nestor.Document, error) {
	memberships, err := all(r, membershipPath(userID, "x").Collection())
	if err != nil {
		return nil, err
	}
	accounts := make([]*nestor.Document, 0, len(memberships))
	for _, m := range memberships {
		d, err := r.Get(accountPath(m.Path.ID()))
		if errors.Is(err, nestor.ErrNotFound) {
			continue // made up by the user
		}
		if err != nil {
			return nil, err
		}
		a, err := nestor.As[Account](d)
		if err != nil {
			return nil, err
		}
		if a.Members[userID] != "" {
			accounts = append(accounts, d)
		}
	}
	return accounts, nil
}

// Projects returns the projects of an account to one of its members, oldest
// first.
func Projects(r store.Reader, userID, accountID string) ([]*nestor.Document, error) {
	if _, err := load(r, userID, accountID); err != nil {
		return nil, err
	}
	return all(r, accountPath(accountID).Child("projects", "x").Collection())
}

// Chats returns one page of the chats in a project to a member of its account,
// whoever's they are, oldest first. Limit and cursor are those of [store.Query].
func Chats(r store.Reader, userID, projectID string, limit int, cursor string) (store.Page, error) {
	if _, err := visible(r, userID, projectID); err != nil {
		return store.Page{}, err
	}
	q := chatsOf(projectID)
	q.Limit, q.Cursor = limit, cursor
	return r.Query(q)
}

func chatsOf(projectID string) store.Query {
	return store.Query{Flat: store.Chats.Name, Where: store.Where("projectId", store.Eq, projectID)}
}

// all reads a whole collection, oldest first.
func all(r store.Reader, collection string) ([]*nestor.Document, error) {
	var docs []*nestor.Document
	q := store.Query{Collection: collection, Limit: store.MaxLimit}
	for {
		page, err := r.Query(q)
		if err != nil {
			return nil, err
		}
		docs = append(docs, page.Items...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return docs, nil
		}
	}
}
