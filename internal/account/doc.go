// Package account keeps accounts, their members and their projects.
//
// Every user has a personal account with a default project, made on first use;
// further accounts are shared with members. A chat belongs to a project and to
// the project's account, and lies at its user's path all the same:
//
//	accounts/{accountId}                       who may do what in its projects
//	accounts/{accountId}/projects/{projectId}  what chats are grouped by
//	accounts/{accountId}/departures/{id}       which chats left it
//	accounts/{accountId}/invitations/{userId}  who is asked to take part
//	users/{userId}/memberships/{accountId}     to find a user's accounts by
//	users/{userId}/invitations/{accountId}     to find a user's invitations by
//
// The id of a project begins with that of its account, so that the id alone says
// where the project lies.
//
// What a user may do is read from the account, never from the membership or the
// invitation that lie among the user's own documents. Whoever has no part in an account learns
// nothing of it: it does not exist for them.
//
// Functions that write take the acting user first and work in the caller's
// transaction.
package account
