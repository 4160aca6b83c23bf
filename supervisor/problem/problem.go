// Package problem returns the texts for people about errors of the service.
package problem

import (
	"errors"
	"fmt"
	"syscall"

	"mews/supervisor"
)

// Kind names a kind of error whose cause has no text for people. The texts are in texts.go.
type Kind string

const (
	DiskFull           Kind = "disk_full"   // the disk of the database is full
	DiskFailed         Kind = "disk_failed" // the disk of the database has failed
	DatabaseDamaged    Kind = "database_damaged"
	DatabaseLocked     Kind = "database_locked" // another program has locked the database
	DatabaseUnwritable Kind = "database_unwritable"
	// Facts of NetworkDisk: the folder and the file system's name.
	NetworkDisk Kind = "network_disk"
	// Facts of OldSQLite: its version and the oldest supported one.
	OldSQLite Kind = "old_sqlite"
	// Facts of NewerDatabase: the version of its schema and the newest supported one.
	NewerDatabase   Kind = "newer_database"
	ForeignDatabase Kind = "foreign_database"
	PersonExists    Kind = "person_exists" // facts: the user's name
	FactorExists    Kind = "factor_exists" // facts: the user's name
	AccountTaken    Kind = "account_taken"
	InviteUseless   Kind = "invite_useless"
	NoSuchGrant     Kind = "no_such_grant" // facts: the grant's number and the user's name
)

// New returns an error of a kind, with its code and text. facts fill the text; err may be nil.
func New(p Kind, err error, facts ...any) *supervisor.Error {
	text := texts[p]
	return &supervisor.Error{Code: text.code, Message: fmt.Sprintf(text.message, facts...), Err: err}
}

// UserText returns the text of an error for users.
func UserText(err error) string {
	var e *supervisor.Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return textNoRoom
	}
	return textInternal
}
