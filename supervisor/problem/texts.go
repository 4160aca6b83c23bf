package problem

import "mews/supervisor"

// textInternal is the answer about an error that has no text for users.
const textInternal = "Something went wrong inside Mews. Try it again in a minute. If that does not help, tell an " +
	"admin: the " +
	"cause is in the log, and `mews doctor` may name it."

// textNoRoom is the answer about a file that did not fit on the disk.
const textNoRoom = "The disk that holds Mews's files is full. An admin has to free some space on it; then try again."

// texts are the messages for people, by kind.
var texts = map[Kind]struct {
	code    supervisor.ErrorCode
	message string // a format that the facts of the problem fill
}{
	DiskFull: {supervisor.CodeUnavailable,
		"The disk that holds Mews's database is full, so this could not be kept. An admin has to free some space " +
			"on it; then try again."},
	DiskFailed: {supervisor.CodeUnavailable,
		"The disk that holds Mews's database could not be read or written. An admin has to check that disk; then " +
			"try again."},
	DatabaseDamaged: {supervisor.CodeUnavailable,
		"Mews's database is damaged. An admin has to stop Mews and move mews.db, mews.db-wal and mews.db-shm out of " +
			"its folder. Then they put back a copy of their own. Without one, " +
			"`mews run --new-database` makes a new database; people's folders stay."},
	DatabaseLocked: {supervisor.CodeUnavailable,
		"Mews's database is locked by another program. Close that program and try again."},
	DatabaseUnwritable: {supervisor.CodeUnavailable,
		"Mews's database could not be opened for writing. Check that its folder belongs to the account that Mews " +
			"runs as " +
			"and is not mounted read-only."},
	NetworkDisk: {supervisor.CodeInvalid,
		"The folder %s is on a network file system (%s), where a database can be damaged. Set `state` to a folder " +
			"on a " +
			"disk of this machine."},
	OldSQLite: {supervisor.CodeInvalid,
		"This Mews was built with SQLite %s, which can damage a database; it must be %s or newer. Use a build that " +
			"was " +
			"released."},
	NewerDatabase: {supervisor.CodeInvalid,
		"The database was last used by a newer Mews: its schema is %d, and this version knows %d. Run the newer " +
			"version " +
			"again: Mews can't undo an update of its database."},
	OlderDatabase: {supervisor.CodeUnavailable,
		"The database is from an earlier version of Mews: its schema is %d, and this version needs %d. " +
			"Start Mews once, for example with `mews run`: that updates the database. Then run this again."},
	NoRoomForDatabaseCopy: {supervisor.CodeUnavailable,
		"This version changes Mews's database, and there is no room to copy the old one first. " +
			"The copy needs %d MiB, and %d MiB are free in %s. Make room and start again. " +
			"`mews run --migrate-without-copy` goes on without a copy."},
	DatabaseMissing: {supervisor.CodeInvalid,
		"Mews's database %s is missing or empty, but other files of Mews are there. Put it back if you have it. " +
			"`mews run --new-database` makes a new one: all chats, tasks and added people are gone then, " +
			"and people's folders stay."},
	DatabaseRemoved: {supervisor.CodeUnavailable,
		"Mews's database %s was removed while Mews ran. Mews wrote it again with all data, and stopped. " +
			"Start Mews again, and find out what removes its files."},
	DatabaseRemovedAndLost: {supervisor.CodeUnavailable,
		"Mews's database %s was removed while Mews ran, and could not be written again: %v. " +
			"Mews has stopped, and the data is lost."},
	DatabaseReplaced: {supervisor.CodeUnavailable,
		"Another file took the place of Mews's database %s while Mews ran. Mews has stopped, and saved its own data " +
			"as %s. Start Mews again to use the new file, or rename the saved one to mews.db first. " +
			"Stop Mews before you replace its files."},
	DatabaseReplacedAndLost: {supervisor.CodeUnavailable,
		"Another file took the place of Mews's database %s while Mews ran. Mews's own data could not be saved: %v. " +
			"Mews has stopped. Start it again to use the new file."},
	DatabaseSchemaDiffers: {supervisor.CodeInvalid,
		"The database differs from what this Mews makes (schema %[1]d): %[2]s. Run the version that last used it, " +
			"or undo a change that was made by hand. `mews run --database-differs` uses it as it is, and parts of " +
			"Mews may then fail."},
	ForeignDatabase: {supervisor.CodeInvalid,
		"The file is a database of another program, not of Mews. Set `state` to a folder of Mews's own."},
	UserExists: {supervisor.CodeInvalid, "There is a person called %s already. Choose another name."},
	UserNotRemoved: {supervisor.CodeInvalid, "%s is still a user of Mews. Run `mews user remove %s` first; then " +
		"they can be deleted."},
	UserDeletionUnfinished: {supervisor.CodeInvalid, "The deletion of %s has begun and not ended. " +
		"Run `mews user delete %s` to end it; then the name is free."},
	SecondFactorExists: {supervisor.CodeInvalid, "%s has a second factor already. Reset it before you make another."},
	AccountOfOtherUser: {supervisor.CodeForbidden, "This account is another person's already. An admin can unbind it " +
		"first."},
	InviteInvalid: {supervisor.CodeNotFound, "This invite is not valid, or no longer valid. Ask for a new one."},
	NoSuchGrant:   {supervisor.CodeNotFound, "There is no grant with the number %d for %s."},
}
