package accounts

import (
	"net/http"

	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

type route = module.Route[*Accounts]

func routes() []route {
	const one, project = "/api/v1/accounts/{account}", "/api/v1/projects/{project}"
	return []route{
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/accounts", ID: "listAccounts", Summary: "The accounts that the caller has a part in",
			Description: "The role of the caller is in the members of each.",
			Answer:      account.Account{}, Lists: true,
		}, Do: (*Accounts).listAccounts},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/accounts", ID: "createAccount", Summary: "Make an account that can have members",
			Description: "The caller becomes its owner, and invites others by giving them a role.",
			Body:        newName{}, Answer: account.Account{}, Creates: true, Example: `{"name":"Research"}`,
		}, Do: (*Accounts).postAccount},
		{Route: httpapi.Route{
			Pattern: "GET " + one, ID: "getAccount", Summary: "An account",
			Description: "Its members and their roles are in it. For everybody else there is no such account.",
			Answer:      account.Account{}, More: openapi.Operation{IfNoneMatch: true},
		}, Do: (*Accounts).getAccount},
		{Route: httpapi.Route{
			Pattern: "PUT " + one + "/members/{user}", ID: "putMember", Summary: "Give a member of an account another role, or invite a user who is none",
			Description: "The role of a member changes at once (200). Anybody else finds an invitation, good for 14 days, and sees nothing of the account until they accept (202).",
			Body:        newRole{}, Example: `{"role":"member"}`,
			More: openapi.Operation{Answers: openapi.Answers{http.StatusOK: openapi.Ref("Account"), http.StatusAccepted: openapi.Ref("Account")}},
		}, Do: (*Accounts).putMember},
		{Route: httpapi.Route{
			Pattern: "DELETE " + one + "/members/{user}", ID: "deleteMember", Summary: "Take a user's role in an account",
			Description: "Only owners do, and one owner always stays. What the user began in the account stays there.",
		}, Do: (*Accounts).deleteMember},
		{Route: httpapi.Route{
			Pattern: "GET " + one + "/invitations", ID: "listAccountInvitations", Summary: "The invitations to an account that wait for an answer",
			Description: "An invitation is good for 14 days, and a new one takes its place.",
			Answer:      account.Invitation{}, Lists: true,
		}, Do: (*Accounts).listInvitations},
		{Route: httpapi.Route{
			Pattern: "DELETE " + one + "/invitations/{user}", ID: "deleteInvitation", Summary: "Withdraw an invitation",
			Description: "The invited user does not find it any more. A new one can be sent at any time.",
		}, Do: (*Accounts).deleteInvitation},
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/invitations", ID: "listInvitations", Summary: "The accounts that the caller is invited to",
			Description: "Until it is accepted, the caller sees nothing else of the account.",
			Needs:       httpapi.Whole,
			Answer:      account.Invitation{}, Lists: true,
		}, Do: (*Accounts).listOwnInvitations},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/invitations/{account}/accept", ID: "acceptInvitation", Summary: "Take part in an account",
			Description: "From then on the caller has the role of the invitation in all chats of the account.",
			More:        openapi.Operation{Names: "acc2"},
		}, Do: (*Accounts).acceptInvitation},
		{Route: httpapi.Route{
			Pattern: "DELETE /api/v1/invitations/{account}", ID: "declineInvitation", Summary: "Do not take part in an account",
			Description: "The invitation is gone, and an owner can send a new one.",
			More:        openapi.Operation{Names: "acc3"},
		}, Do: (*Accounts).declineInvitation},
		{Route: httpapi.Route{
			Pattern: "GET " + one + "/projects", ID: "listProjects", Summary: "The projects of an account",
			Description: "A project groups chats of the account, and can have a budget of its own.",
			Answer:      account.Project{}, Lists: true,
		}, Do: (*Accounts).listProjects},
		{Route: httpapi.Route{
			Pattern: "POST " + one + "/projects", ID: "createProject", Summary: "Add a project to an account",
			Description: "Chats are put into it when they begin, by their projectId.",
			Body:        newName{}, Answer: account.Project{}, Creates: true, Example: `{"name":"Compilers"}`,
		}, Do: (*Accounts).postProject},
		{Route: httpapi.Route{
			Pattern: "PATCH " + one, ID: "patchAccount", Summary: "Rename an account, or set its budget",
			Description: "The budget bounds all chats of the account together; null removes it.",
			Body:        changes{}, Answer: account.Account{}, Example: `{"budget":{"perDay":{"costMicros":5000000}}}`,
		}, Do: (*Accounts).patchAccount},
		{Route: httpapi.Route{
			Pattern: "GET " + one + "/limit", ID: "getAccountLimit", Summary: "How many jobs in the chats of an account run at once",
			Description: "An account without a limit of its own has that with which the server was started.",
			Needs:       httpapi.Administrator, Answer: store.AccountLimit{},
		}, Do: (*Accounts).getLimit},
		{Route: httpapi.Route{
			Pattern: "PUT " + one + "/limit", ID: "putAccountLimit", Summary: "Limit how many jobs in the chats of an account run at once",
			Description: "It holds over all nodes together. Jobs beyond it wait, and the list of jobs says that they do.",
			Needs:       httpapi.Administrator, Body: newLimit{}, Answer: store.AccountLimit{}, Example: `{"jobs":20}`,
		}, Do: (*Accounts).putLimit},
		{Route: httpapi.Route{
			Pattern: "DELETE " + one + "/limit", ID: "deleteAccountLimit", Summary: "Have the limit of all accounts hold for this one, too",
			Description: "Jobs that waited for the account's own limit go on as far as the other one lets them.",
			Needs:       httpapi.Administrator,
		}, Do: (*Accounts).deleteLimit},
		{Route: httpapi.Route{
			Pattern: "PATCH " + project, ID: "patchProject", Summary: "Rename a project, or set its budget",
			Description: "The budget bounds all chats of the project together; null removes it.",
			Body:        changes{}, Answer: account.Project{}, Example: `{"name":"Linkers","budget":{"perMonth":{"tokens":5000000}}}`,
		}, Do: (*Accounts).patchProject},
		{Route: httpapi.Route{
			Pattern: "DELETE " + project, ID: "deleteProject", Summary: "Delete a project without chats",
			Description: "One with chats in it is refused, and so is the one that every personal account has.",
		}, Do: (*Accounts).deleteProject},
		{Route: httpapi.Route{
			Pattern: "GET " + project + "/chats", ID: "listProjectChats", Summary: "The chats in a project, whoever's they are",
			Description: "Each says in userId whose it is, which all calls about chats take as user.",
			Query:       httpapi.Paging(),
			More:        openapi.Operation{Answers: openapi.Gives(openapi.Page("Chat"))},
		}, Do: (*Accounts).listProjectChats},
	}
}
