package account

import (
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Account owns projects and says who shares them.
type Account struct {
	nestor.Meta
	Name string `json:"name"`
	// Personal accounts are of one user alone.
	Personal  bool            `json:"personal"`
	CreatedBy string          `json:"createdBy"`
	Members   map[string]Role `json:"members"`
	// Budget bounds what all chats of the account may use together.
	Budget *nestor.Budget `json:"budget,omitempty"`
}

// Role is what a member of an account may do in it.
type Role string

// The roles. Each may do what the following ones may.
const (
	Owner  Role = "owner"  // changes who the members are
	Member Role = "member" // adds and changes projects and chats
	Viewer Role = "viewer" // reads
)

// membership lets a user's accounts be found.
type membership struct {
	Role Role `json:"role"`
}

// Create makes an account that others can be invited to. Its creator owns it.
func Create(tx store.Tx, by, name string) (*nestor.Document, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	id := nestor.NewID()
	d, err := tx.Create(accountPath(id), Account{Name: name, CreatedBy: by, Members: map[string]Role{by: Owner}})
	if err != nil {
		return nil, err
	}
	_, err = tx.Create(membershipPath(by, id), membership{Owner})
	return d, err
}

// IsPersonal reports whether what belongs to an account is one user's alone.
// That holds without an account, "", too. It does not hold for an account that
// is gone, of which nothing is known.
func IsPersonal(r store.Reader, accountID string) (bool, error) {
	if accountID == "" {
		return true, nil
	}
	if nestor.CheckID(accountID) != nil {
		return false, nil
	}
	a, err := store.Find[Account](r, accountPath(accountID))
	return a != nil && a.Personal, err
}

// RoleOf tells what a user may do in an account. For a user who is no member
// the account does not exist: the error is of [nestor.CodeNotFound].
func RoleOf(r store.Reader, accountID, userID string) (Role, error) {
	a, err := load(r, userID, accountID)
	return a.Members[userID], err
}

// load reads an account as one of its members sees it.
func load(r store.Reader, userID, accountID string) (Account, error) {
	if nestor.CheckID(accountID) != nil {
		return Account{}, noAccount(accountID)
	}
	d, err := r.Get(accountPath(accountID))
	if errors.Is(err, nestor.ErrNotFound) {
		return Account{}, noAccount(accountID)
	}
	if err != nil {
		return Account{}, err
	}
	a, err := nestor.As[Account](d)
	if err == nil && a.Members[userID] == "" {
		return Account{}, noAccount(accountID)
	}
	return a, err
}

// may reports whether r includes the rights of need.
func (r Role) may(need Role) bool {
	order := []Role{Owner, Member, Viewer}
	i := slices.Index(order, r)
	return i >= 0 && i <= slices.Index(order, need)
}

func accountPath(id string) nestor.Path { return nestor.Path("accounts/" + id) }

func membershipPath(userID, accountID string) nestor.Path {
	return nestor.Path("users/"+userID).Child("memberships", accountID)
}

func noAccount(id string) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no account %q", id)
}
