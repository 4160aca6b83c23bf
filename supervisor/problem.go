package supervisor

import "fmt"

// Problem names what went wrong, where what found it out has no words for people: those are in
// texts_problem.go.
type Problem string

const (
	ProblemDiskFull           Problem = "disk_full"   // the database's
	ProblemDiskFailed         Problem = "disk_failed" // the database's
	ProblemDatabaseDamaged    Problem = "database_damaged"
	ProblemDatabaseLocked     Problem = "database_locked" // by another program
	ProblemDatabaseUnwritable Problem = "database_unwritable"
	// facts: the folder, the file system's name
	ProblemNetworkDisk Problem = "network_disk"
	// facts: its version, the oldest that is good
	ProblemOldSQLite Problem = "old_sqlite"
	// facts: its schema's version, the newest that is known
	ProblemNewerDatabase   Problem = "newer_database"
	ProblemForeignDatabase Problem = "foreign_database"
	ProblemPersonExists    Problem = "person_exists" // facts: the name
	ProblemFactorExists    Problem = "factor_exists" // facts: whose
	ProblemAccountTaken    Problem = "account_taken"
	ProblemInviteUseless   Problem = "invite_useless"
	ProblemNoSuchGrant     Problem = "no_such_grant" // facts: its number, whose
)

// NewProblem is the Error of a problem, with its code and its text. facts are what the text takes;
// err may be nil.
func NewProblem(p Problem, err error, facts ...any) *Error {
	text := problemTexts[p]
	return &Error{Code: text.code, Message: fmt.Sprintf(text.message, facts...), Err: err}
}
