package httpapi

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

// accountsArea is about accounts, who takes part in them, and their projects.
func accountsArea() area {
	return area{routes: accountRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"NewName": reflect.TypeFor[newName](),
		"NewRole": reflect.TypeFor[newRole](),
		"Changes": reflect.TypeFor[changes](),
	}, Documents: map[string]reflect.Type{
		"Account":    reflect.TypeFor[account.Account](),
		"Project":    reflect.TypeFor[account.Project](),
		"Invitation": reflect.TypeFor[account.Invitation](),
	}}}
}

func accountRoutes() []route {
	const account, project = "/api/v1/accounts/{account}", "/api/v1/projects/{project}"
	return []route{
		{"GET /api/v1/accounts", documents, (*server).listAccounts, openapi.Operation{
			ID: "listAccounts", Summary: "The accounts that the caller has a part in", Answers: openapi.Gives(openapi.List("Account")),
		}},
		{"POST /api/v1/accounts", documents, (*server).postAccount, openapi.Operation{
			ID: "createAccount", Summary: "Make an account that can have members", Body: openapi.Ref("NewName"), Answers: openapi.Creates("Account"),
			Example: `{"name":"Research"}`,
		}},
		{"GET " + account, documents, (*server).getAccount, openapi.Operation{
			ID: "getAccount", Summary: "An account", IfNoneMatch: true, Answers: openapi.Gives(openapi.Ref("Account")),
		}},
		{"PUT " + account + "/members/{user}", documents, (*server).putMember, openapi.Operation{
			ID: "putMember", Summary: "Give a member of an account another role, or invite a user who is none", Body: openapi.Ref("NewRole"),
			Answers: openapi.Answers{http.StatusOK: openapi.Ref("Account"), http.StatusAccepted: openapi.Ref("Account")}, Example: `{"role":"member"}`,
		}},
		{"DELETE " + account + "/members/{user}", documents, (*server).deleteMember, openapi.Operation{
			ID: "deleteMember", Summary: "Take a user's role in an account", Answers: openapi.GivesNothing(),
		}},
		{"GET " + account + "/invitations", documents, (*server).listInvitations, openapi.Operation{
			ID: "listAccountInvitations", Summary: "The invitations to an account that wait for an answer", Answers: openapi.Gives(openapi.List("Invitation")),
		}},
		{"DELETE " + account + "/invitations/{user}", documents, (*server).deleteInvitation, openapi.Operation{
			ID: "deleteInvitation", Summary: "Withdraw an invitation", Answers: openapi.GivesNothing(),
		}},
		{"GET /api/v1/invitations", whole, (*server).listOwnInvitations, openapi.Operation{
			ID: "listInvitations", Summary: "The accounts that the caller is invited to", Answers: openapi.Gives(openapi.List("Invitation")),
		}},
		{"POST /api/v1/invitations/{account}/accept", documents, (*server).acceptInvitation, openapi.Operation{
			ID: "acceptInvitation", Names: "acc2", Summary: "Take part in an account", Answers: openapi.GivesNothing(),
		}},
		{"DELETE /api/v1/invitations/{account}", documents, (*server).declineInvitation, openapi.Operation{
			ID: "declineInvitation", Names: "acc3", Summary: "Do not take part in an account", Answers: openapi.GivesNothing(),
		}},
		{"GET " + account + "/projects", documents, (*server).listProjects, openapi.Operation{
			ID: "listProjects", Summary: "The projects of an account", Answers: openapi.Gives(openapi.List("Project")),
		}},
		{"POST " + account + "/projects", documents, (*server).postProject, openapi.Operation{
			ID: "createProject", Summary: "Add a project to an account", Body: openapi.Ref("NewName"), Answers: openapi.Creates("Project"),
			Example: `{"name":"Compilers"}`,
		}},
		{"PATCH " + account, documents, (*server).patchAccount, openapi.Operation{
			ID: "patchAccount", Summary: "Rename an account, or set its budget", Body: openapi.Ref("Changes"), Answers: openapi.Gives(openapi.Ref("Account")),
			Example: `{"budget":{"perDay":{"costMicros":5000000}}}`,
		}},
		{"PATCH " + project, documents, (*server).patchProject, openapi.Operation{
			ID: "patchProject", Summary: "Rename a project, or set its budget", Body: openapi.Ref("Changes"), Answers: openapi.Gives(openapi.Ref("Project")),
			Example: `{"name":"Linkers","budget":{"perMonth":{"tokens":5000000}}}`,
		}},
		{"DELETE " + project, documents, (*server).deleteProject, openapi.Operation{
			ID: "deleteProject", Summary: "Delete a project; its chats stay", Answers: openapi.GivesNothing(),
		}},
		{"GET " + project + "/chats", documents, (*server).listProjectChats, openapi.Operation{
			ID: "listProjectChats", Summary: "The chats in a project, whoever's they are", Query: pagingOf(), Answers: openapi.Gives(openapi.Page("Chat")),
		}},
	}
}
