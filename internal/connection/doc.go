// Package connection keeps model connections: which model to call, where, how
// patiently and with which secret.
//
// One connection, "default", comes from the environment; see [FromEnv]. It is called
// where none is named, unless the user chose another as their default. Others
// are documents of a user, at users/{userId}/model-connections/{id}. Their
// secrets are documents of their own, sealed with the server's key, at
// secrets/{userId}/model-connections/{id}, which no caller of the API reaches.
// A secret leaves this package only inside the model that is made with it.
package connection
