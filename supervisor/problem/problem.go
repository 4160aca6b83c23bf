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
	// Facts of OldSQLite: the version of SQLite, and the oldest supported version.
	OldSQLite Kind = "old_sqlite"
	// facts: the version of the database's schema, and the newest version that this Mews knows
	NewerDatabase Kind = "newer_database"
	// facts: the version of the database's schema, and the version that this Mews needs
	OlderDatabase Kind = "older_database"
	// facts: the version of the database's schema, and the first difference in that schema
	DatabaseSchemaDiffers Kind = "database_differs"
	// facts: the needed MiB, the free MiB, and the folder
	NoRoomForDatabaseCopy Kind = "no_room_for_copy"
	DatabaseMissing       Kind = "database_missing" // facts: the path of the missing database
	// the database was removed while Mews ran, and Mews wrote it again; facts: the path
	DatabaseRemoved Kind = "database_removed"
	// the database was removed while Mews ran, and could not be written again; facts: the path and
	// the reason
	DatabaseRemovedAndLost Kind = "database_lost"
	// another file took the database's place while Mews ran; facts: the path, and the path of a
	// copy
	DatabaseReplaced Kind = "database_replaced"
	// another file took the database's place, and no copy could be made; facts: the path and the
	// reason
	DatabaseReplacedAndLost Kind = "database_replaced_and_lost"
	ForeignDatabase         Kind = "foreign_database"
	UserExists              Kind = "person_exists" // facts: the user's name
	// facts: the user's name, twice
	UserNotRemoved Kind = "person_not_removed"
	// facts: the user's name, twice
	UserDeletionUnfinished Kind = "deletion_not_ended"
	SecondFactorExists     Kind = "factor_exists" // facts: the user's name
	AccountOfOtherUser     Kind = "account_taken"
	InviteInvalid          Kind = "invite_useless"
	NoSuchGrant            Kind = "no_such_grant" // facts: the grant's number, and the name of the grant's user
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
