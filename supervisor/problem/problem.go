// Package problem says to people what went wrong.
package problem

import (
	"errors"
	"fmt"
	"syscall"

	"mews/supervisor"
)

// Kind names what went wrong, where what found it out has no words for people: those are in
// texts.go.
type Kind string

const (
	DiskFull           Kind = "disk_full"   // the database's
	DiskFailed         Kind = "disk_failed" // the database's
	DatabaseDamaged    Kind = "database_damaged"
	DatabaseLocked     Kind = "database_locked" // by another program
	DatabaseUnwritable Kind = "database_unwritable"
	// facts: the folder, the file system's name
	NetworkDisk Kind = "network_disk"
	// facts: its version, the oldest that is good
	OldSQLite Kind = "old_sqlite"
	// facts: its schema's version, the newest that is known
	NewerDatabase   Kind = "newer_database"
	ForeignDatabase Kind = "foreign_database"
	PersonExists    Kind = "person_exists" // facts: the name
	FactorExists    Kind = "factor_exists" // facts: whose
	AccountTaken    Kind = "account_taken"
	InviteUseless   Kind = "invite_useless"
	NoSuchGrant     Kind = "no_such_grant" // facts: its number, whose
)

// New is the Error of a problem, with its code and its text. facts are what the text takes; err may
// be nil.
func New(p Kind, err error, facts ...any) *supervisor.Error {
	text := texts[p]
	return &supervisor.Error{Code: text.code, Message: fmt.Sprintf(text.message, facts...), Err: err}
}

// Message is what the person is told of err.
func Message(err error) string {
	var e *supervisor.Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return textNoRoom
	}
	return textInternal
}
