// Package access knows who the people are, who may speak as whom, and how they prove that it is
// they. It fails closed: whom it does not know is nobody, and a gate whose state it can't look up
// stays closed.
package access
