// Package supervisor holds the words of the supervisor's side: what a person, a conversation, an
// inbound, a turn and a delivery are. It does no I/O and starts no goroutine.
package supervisor
