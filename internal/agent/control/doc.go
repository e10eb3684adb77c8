// Package control is what people do to work that is under way: cancel, stop, pause,
// resume, steer, answer, retry. What they decide about calls is in package toolrun.
package control
