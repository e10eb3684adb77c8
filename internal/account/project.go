package account

import (
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Project groups the chats of an account.
type Project struct {
	nestor.Meta
	AccountID string `json:"accountId"`
	Name      string `json:"name"`
	CreatedBy string `json:"createdBy"`
	// Budget bounds what all chats of the project may use together.
	Budget *nestor.Budget `json:"budget,omitempty"`
}

// CreateProject adds a project to an account. Owners and members may.
func CreateProject(tx store.Tx, by, accountID, name string) (*nestor.Document, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	a, err := load(tx, by, accountID)
	if err != nil {
		return nil, err
	}
	if !a.Members[by].may(Member) {
		return nil, onlyReads()
	}
	return tx.Create(projectPath(projectIn(accountID, nestor.NewID())), Project{AccountID: accountID, Name: name, CreatedBy: by})
}

// DeleteProject removes a project that no chat belongs to. Owners and members
// may. The default project of a personal account stays.
func DeleteProject(tx store.Tx, by, id string) error {
	if err := checkWriter(tx, by, id); err != nil {
		return err
	}
	if isDefault(id) {
		return nestor.Errorf(nestor.CodeInvalid, "this is the default project of a personal account, which stays")
	}
	q := chatsOf(id)
	q.Limit = 1
	page, err := tx.Query(q)
	if err != nil {
		return err
	}
	if len(page.Items) > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "there are chats in the project: delete them first")
	}
	// The project was read before the chats, and Place writes it: if a chat
	// came meanwhile, the store runs this again.
	return tx.Delete(projectPath(id), store.AnyVersion)
}

// checkWriter reports why a user may not change a project.
func checkWriter(r store.Reader, userID, id string) error {
	role, err := visible(r, userID, id)
	if err == nil && !role.may(Member) {
		err = onlyReads()
	}
	return err
}

// visible is the user's role in the account of a project that exists.
func visible(r store.Reader, userID, id string) (Role, error) {
	role, err := roleIn(r, userID, id)
	if err != nil {
		return "", err
	}
	_, err = r.Get(projectPath(id))
	if errors.Is(err, nestor.ErrNotFound) {
		err = noProject(id)
	}
	return role, err
}

// roleIn is the user's role in the account of a project, which need not exist.
func roleIn(r store.Reader, userID, id string) (Role, error) {
	if nestor.CheckID(id) != nil {
		return "", noProject(id)
	}
	role, err := RoleOf(r, accountOf(id), userID)
	if errors.Is(err, nestor.ErrNotFound) {
		return "", noProject(id)
	}
	return role, err
}

func projectPath(id string) nestor.Path { return accountPath(accountOf(id)).Child("projects", id) }

func projectIn(accountID, id string) string { return accountID + "." + id }

// accountOf is the account of a project, by the id of the project.
func accountOf(projectID string) string {
	id, _, _ := strings.Cut(projectID, ".")
	return id
}

func noProject(id string) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no project %q", id)
}

func onlyReads() error {
	return nestor.Errorf(nestor.CodeForbidden, "viewers of an account may look and not change anything")
}
