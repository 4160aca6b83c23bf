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
	// facts: its schema's version, the newest that is known
	NewerDatabase Kind = "newer_database"
	// facts: its schema's version, the first difference
	DatabaseDiffers Kind = "database_differs"
	// facts: the needed and the free MiB, the folder
	NoRoomForCopy   Kind = "no_room_for_copy"
	DatabaseMissing Kind = "database_missing" // facts: its path
	// it was removed while Mews ran, and was written again; facts: its path
	DatabaseRemoved Kind = "database_removed"
	// the same, but it could not be written again; facts: its path, why
	DatabaseLost Kind = "database_lost"
	// another file took its place while Mews ran; facts: its path
	DatabaseReplaced Kind = "database_replaced"
	ForeignDatabase  Kind = "foreign_database"
	PersonExists     Kind = "person_exists" // facts: the name
	FactorExists     Kind = "factor_exists" // facts: whose
	AccountTaken     Kind = "account_taken"
	InviteUseless    Kind = "invite_useless"
	NoSuchGrant      Kind = "no_such_grant" // facts: its number, whose
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
