// Package access knows the users, decides who may speak as which user, and checks second factors.
// It fails closed: an unknown account belongs to no user. A gate stays closed if its state can't be
// read.
package access
