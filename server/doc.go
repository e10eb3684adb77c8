// Package server runs Nestor inside a Go program: durable agents with the
// program's own tools, handlers, models and domains, on a database in a temporary
// folder, in a file or on PostgreSQL.
//
//	s, err := server.Start(ctx, server.Config{Tools: []*tool.Tool{weather}})
//	…
//	defer s.Close()
//	chat, err := s.Client().CreateChat(ctx, client.NewChat{})
//	said, err := s.Client().Say(ctx, chat.ID, "What is the weather in Oslo?")
//
// The examples have a whole program for each part. docs/embedding.md tells more,
// and examples/embedded is a program in a module of its own.
//
// The program nestor is made of this package; see [Main].
//
// # Stability
//
// This is version 0: names may change between minor versions, and CHANGELOG.md
// says so when they do. What is stored does not get lost: a newer version opens
// the database of an older one. Everything below internal/ may change at any time.
package server
