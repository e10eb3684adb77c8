package account

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Place says which account and project a new chat of a user belongs to, to be
// called in the transaction that creates the chat.
//
// Without a project that is the default one of the user's personal account. Both
// are made when they are first needed; any number of callers may be the first.
// Otherwise it is the project given, if the user may write in it. If not, or if
// there is none, the error is of [nestor.CodeNotFound].
func Place(tx store.Tx, userID, project string) (accountID, projectID string, err error) {
	if project == "" || project == defaultProject(userID) {
		return placePersonally(tx, userID)
	}
	role, err := roleIn(tx, userID, project)
	if err == nil && !role.may(Member) {
		err = noProject(project)
	}
	if err != nil {
		return "", "", err
	}
	// Written, though unchanged, so that it cannot be deleted before the chat is
	// there; see DeleteProject.
	if _, err = tx.Patch(projectPath(project), struct{}{}, store.AnyVersion); errors.Is(err, nestor.ErrNotFound) {
		err = noProject(project)
	}
	return accountOf(project), project, err
}

// NewChat writes a chat that the server begins for its user, in the user's personal
// account: so what bounds that account bounds the chat.
func NewChat(tx store.Tx, chat nestor.Path, title string) error {
	accountID, projectID, err := placePersonally(tx, chat.UserID())
	if err != nil {
		return err
	}
	_, err = tx.Create(chat, nestor.Chat{Title: title, TitleGenerated: true, AccountID: accountID, ProjectID: projectID})
	return err
}

// placePersonally finds or makes the user's default project. It cannot be
// deleted, so there is no need to hold on to it.
func placePersonally(tx store.Tx, userID string) (accountID, projectID string, err error) {
	accountID, projectID = personalAccount(userID), defaultProject(userID)
	if _, err := tx.Get(projectPath(projectID)); !errors.Is(err, nestor.ErrNotFound) {
		return accountID, projectID, err
	}
	personal := Account{Name: "Personal", Personal: true, CreatedBy: userID, Members: map[string]Role{userID: Owner}}
	if err := ensure(tx, accountPath(accountID), personal); err != nil {
		return "", "", err
	}
	if err := ensure(tx, projectPath(projectID), Project{AccountID: accountID, Name: "Default", CreatedBy: userID}); err != nil {
		return "", "", err
	}
	return accountID, projectID, ensure(tx, membershipPath(userID, accountID), membership{Owner})
}

func personalAccount(userID string) string { return nestor.DeriveID("account", userID) }

const defaultID = "default"

func defaultProject(userID string) string { return projectIn(personalAccount(userID), defaultID) }

// isDefault reports whether a project is somebody's default. Ids of others end
// in a random part.
func isDefault(id string) bool { return id == projectIn(accountOf(id), defaultID) }

// ensure creates a document that is not there. It looks first, so that the
// store runs the transaction again if another one creates it meanwhile.
func ensure(tx store.Tx, p nestor.Path, body any) error {
	_, err := tx.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		_, err = tx.Create(p, body)
	}
	return err
}
