// Package access knows the users, decides who may speak as whom, and checks their second factors.
// It fails closed: an unknown account belongs to nobody, and a gate stays closed if its state can't
// be read.
package access
