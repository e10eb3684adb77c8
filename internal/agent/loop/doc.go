// Package loop has agents make their steps. Its handlers:
//
//	InitAgent  a task gets its agent
//	MakeStep   the model is called once; what it said becomes calls of tools, a
//	           final answer or a question
package loop
