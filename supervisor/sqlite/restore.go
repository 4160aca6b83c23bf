package sqlite

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Restores makes a database that comes from a backup safe to serve.
type Restores struct{ db *DB }

// Restores returns the store that completes the restore of a backup.
func (db *DB) Restores() Restores { return Restores{db} }

// Settings of the service: the time of the last backup that was restored, and the time of that
// restore, both in unix milliseconds.
const (
	settingRestoredBackup = "restored"
	SettingRestoredAt     = "restored at"
	// SettingForgetFacts has the digests of a user's facts that a restore has brought back, and
	// that are still to be forgotten.
	SettingForgetFacts = "forget facts"
)

// Restore says how to complete a restore.
type Restore struct {
	MadeAt time.Time // time of the backup's database
	// the key of the second factors is lost, so that all factors end
	FactorsEnd bool
	Acts       []RestoredAct // acts after the backup, in their order
	Why        string        // why the outcome of a delivery is unknown; for people
	Unanswered string        // result of a tool call that a turn has left open, for the model

	// MissedFire returns the fire of a job that was due until now, as missed.
	MissedFire func(j supervisor.Job, now time.Time) supervisor.Fire
	// Notices returns the messages about the restore. It must not use
	// the database.
	Notices func(RestoreReport) []supervisor.Delivery
}

// RestoredAct is something that was done after the backup, and must hold after the restore too.
type RestoredAct struct {
	User string
	Kind RestoredActKind
	// the account that ends, or the group's chat; without both, all accounts of the user end
	Channel supervisor.Channel
	Account string
	// data to forget: of one conversation, or 0 for all; until At at the latest
	Conversation     int64
	Since, Until, At time.Time
	Digest           string // protocol.DigestWords of the fact
}

// RestoredActKind is the kind of a RestoredAct.
type RestoredActKind string

// The kinds of acts that a database can repeat.
const (
	ActDisable     RestoredActKind = "disable"
	ActEnable      RestoredActKind = "enable"
	ActRemove      RestoredActKind = "remove"
	ActUnbind      RestoredActKind = "unbind"       // an account of the user on a channel ends
	ActEndFactor   RestoredActKind = "end factor"   // the second factor of the user ends
	ActForgetSpans RestoredActKind = "forget spans" // the service forgets the data when it starts
	ActForgetFact  RestoredActKind = "forget fact"  // the service forgets the fact when it starts

	ActAllowGroup    RestoredActKind = "allow group"
	ActDisallowGroup RestoredActKind = "disallow group"
)

// RestoreReport lists what is not known after a restore.
type RestoreReport struct {
	Now    time.Time
	Users  map[string]*RestoredUser
	Ended  map[string]int64 // number of rows that have ended, by what they were, such as "login"
	Admins []string         // added users who are admins; the configuration may name more
	// accounts of each added user; the configuration may name more
	Accounts map[string]map[supervisor.Channel]string
}

// RestoredUser lists what is not known of a user. It waits for the user.
type RestoredUser struct {
	Turns      []RestoredTurn        // messages without an answer
	Dropped    []supervisor.Inbound  // commands, presses and messages with files that had no answer
	Deliveries []supervisor.Delivery // messages that may not have arrived
	Fires      []supervisor.Fire     // jobs that were due after the backup, or ran at its time
	Reminders  []FileReminder        // reminders from files that were due after the backup
	Notices    []string              // texts that waited for the end of quiet hours
}

// RestoredTurn is a parked turn, which its user may try again.
type RestoredTurn struct {
	Turn         int64
	Conversation supervisor.Conversation
	Text         string // what the user wrote
}

// entryOf returns the entry of a user, and makes it if necessary.
func (r *RestoreReport) entryOf(name string) *RestoredUser {
	if r.Users[name] == nil {
		r.Users[name] = &RestoredUser{}
	}
	return r.Users[name]
}

// Complete makes a restored database safe to serve, in one transaction. No message is sent and no
// work is done again: what waited becomes unknown and waits for its user. Grants, logins, invites
// and leases end. Checks and reviews begin with what they find at their next look. Only the notices
// about the restore are queued.
//
// A database is completed once: a second call returns an empty report.
func (s Restores) Complete(ctx context.Context, o Restore) (RestoreReport, error) {
	return inTransaction(ctx, s.db, func(t *tx) RestoreReport { return t.completeRestore(o) },
		"complete the restore of the backup from %s", o.MadeAt.Format(time.RFC3339))
}

// restoreStep is a part of a restore.
type restoreStep func(t *tx, o Restore, r *RestoreReport)

// restoreSteps run in this order. Deliveries end before the questions and turns that they show, and
// turns end before the operations that their end may make.
var restoreSteps = []restoreStep{(*tx).restoreDeliveries, (*tx).restoreQuestions, (*tx).restoreFires,
	(*tx).restoreTurns, (*tx).restoreInbounds, (*tx).restoreReminders, (*tx).restoreNotices, (*tx).restoreReviews,
	(*tx).restoreAccess, (*tx).restoreActs, (*tx).restoreRest}

func (t *tx) completeRestore(o Restore) RestoreReport {
	r := RestoreReport{Now: fromMillis(t.Now), Users: map[string]*RestoredUser{}, Ended: map[string]int64{},
		Accounts: map[string]map[supervisor.Channel]string{}}
	made := fmt.Sprint(o.MadeAt.UnixMilli())
	if t.setting("", settingRestoredBackup) == made {
		return r
	}
	for _, step := range restoreSteps {
		step(t, o, &r)
	}
	r.Admins = all(t, engine.ScanString, listRestoredAdmins)
	for _, b := range all(t, scanBinding, listBindings) {
		if r.Accounts[b.User] == nil {
			r.Accounts[b.User] = map[supervisor.Channel]string{}
		}
		r.Accounts[b.User][b.Channel] = b.Account
	}
	if t.err == nil {
		for _, d := range o.Notices(r) {
			t.putNotice(d)
		}
	}
	t.setSetting("", settingRestoredBackup, made)
	t.setSetting("", SettingRestoredAt, fmt.Sprint(t.Now))
	t.setSetting("", SettingMonthUnknown, fmt.Sprint(t.Now))
	t.audit("", "service.restored", "backup from "+o.MadeAt.UTC().Format(time.RFC3339))
	return r
}

const (
	listRestoredAdmins = `SELECT name FROM person WHERE role = 'admin' ORDER BY name`

	// Edits would show old texts again. Deletions of messages stay: they are harmless twice.
	dropRestoredEdits = `DELETE FROM cleaning WHERE what = 'edit'`
	dropCheckCommands = `DELETE FROM check_command`
	listRestoredWork  = selectOperation + `WHERE state IN ('waiting', 'running') ORDER BY id`
)

// restoreRest ends what belongs to nobody's list.
func (t *tx) restoreRest(o Restore, _ *RestoreReport) {
	t.Exec(dropRestoredEdits)
	t.Exec(dropCheckCommands)
	for _, op := range all(t, scanOperation, listRestoredWork) {
		t.moveOperation(op, supervisor.OperationFailed, o.Why)
	}
}
