// Package terminal is a chat in a terminal: answers as they are written, agents
// as a live tree, their questions and approvals answered from the keyboard.
//
// [Chat] follows the events of one chat. What happened goes into [state], which
// knows nothing of terminals; [view] prints it: what is said stays, and below it
// a block that is drawn anew shows the agents at work. Where the output is no
// terminal there is no such block, and each step is a line.
package terminal
