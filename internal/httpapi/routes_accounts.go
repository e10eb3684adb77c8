package httpapi

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor/internal/account"
)

// accountsArea is about accounts, who takes part in them, and their projects.
func accountsArea() area {
	return area{routes: accountRoutes(), types: map[string]reflect.Type{
		"NewName": reflect.TypeFor[newName](),
		"NewRole": reflect.TypeFor[newRole](),
		"Changes": reflect.TypeFor[changes](),
	}, documents: map[string]reflect.Type{
		"Account":    reflect.TypeFor[account.Account](),
		"Project":    reflect.TypeFor[account.Project](),
		"Invitation": reflect.TypeFor[account.Invitation](),
	}}
}

func accountRoutes() []route {
	const account, project = "/api/v1/accounts/{account}", "/api/v1/projects/{project}"
	return []route{
		{"GET /api/v1/accounts", documents, (*server).listAccounts, operation{
			id: "listAccounts", summary: "The accounts that the caller has a part in", answers: gives(listOf("Account")),
		}},
		{"POST /api/v1/accounts", documents, (*server).postAccount, operation{
			id: "createAccount", summary: "Make an account that can have members", body: refTo("NewName"), answers: creates("Account"),
			example: `{"name":"Research"}`,
		}},
		{"GET " + account, documents, (*server).getAccount, operation{
			id: "getAccount", summary: "An account", ifNoneMatch: true, answers: gives(refTo("Account")),
		}},
		{"PUT " + account + "/members/{user}", documents, (*server).putMember, operation{
			id: "putMember", summary: "Give a member of an account another role, or invite a user who is none", body: refTo("NewRole"),
			answers: answers{http.StatusOK: refTo("Account"), http.StatusAccepted: refTo("Account")}, example: `{"role":"member"}`,
		}},
		{"DELETE " + account + "/members/{user}", documents, (*server).deleteMember, operation{
			id: "deleteMember", summary: "Take a user's role in an account", answers: givesNothing(),
		}},
		{"GET " + account + "/invitations", documents, (*server).listInvitations, operation{
			id: "listAccountInvitations", summary: "The invitations to an account that wait for an answer", answers: gives(listOf("Invitation")),
		}},
		{"DELETE " + account + "/invitations/{user}", documents, (*server).deleteInvitation, operation{
			id: "deleteInvitation", summary: "Withdraw an invitation", answers: givesNothing(),
		}},
		{"GET /api/v1/invitations", whole, (*server).listOwnInvitations, operation{
			id: "listInvitations", summary: "The accounts that the caller is invited to", answers: gives(listOf("Invitation")),
		}},
		{"POST /api/v1/invitations/{account}/accept", documents, (*server).acceptInvitation, operation{
			id: "acceptInvitation", names: "acc2", summary: "Take part in an account", answers: givesNothing(),
		}},
		{"DELETE /api/v1/invitations/{account}", documents, (*server).declineInvitation, operation{
			id: "declineInvitation", names: "acc3", summary: "Do not take part in an account", answers: givesNothing(),
		}},
		{"GET " + account + "/projects", documents, (*server).listProjects, operation{
			id: "listProjects", summary: "The projects of an account", answers: gives(listOf("Project")),
		}},
		{"POST " + account + "/projects", documents, (*server).postProject, operation{
			id: "createProject", summary: "Add a project to an account", body: refTo("NewName"), answers: creates("Project"),
			example: `{"name":"Compilers"}`,
		}},
		{"PATCH " + account, documents, (*server).patchAccount, operation{
			id: "patchAccount", summary: "Rename an account, or set its budget", body: refTo("Changes"), answers: gives(refTo("Account")),
			example: `{"budget":{"perDay":{"costMicros":5000000}}}`,
		}},
		{"PATCH " + project, documents, (*server).patchProject, operation{
			id: "patchProject", summary: "Rename a project, or set its budget", body: refTo("Changes"), answers: gives(refTo("Project")),
			example: `{"name":"Linkers","budget":{"perMonth":{"tokens":5000000}}}`,
		}},
		{"DELETE " + project, documents, (*server).deleteProject, operation{
			id: "deleteProject", summary: "Delete a project; its chats stay", answers: givesNothing(),
		}},
		{"GET " + project + "/chats", documents, (*server).listProjectChats, operation{
			id: "listProjectChats", summary: "The chats in a project, whoever's they are", query: pagingOf(), answers: gives(pageOf("Chat")),
		}},
	}
}
