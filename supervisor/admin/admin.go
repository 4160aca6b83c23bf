// Package admin has the calls for admins: users, second factors, the audit log, exports, deletion,
// and reload of the configuration. The control socket answers these calls. A process that has
// locked the state folder can make them too.
package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/backup"
	"mews/supervisor/feature"
	"mews/supervisor/operation"
	"mews/supervisor/sqlite"
)

// Service manages users, second factors and the configuration for admins. It serves the control
// socket, or runs in a process of its own while no service runs. No change takes effect without its
// entry in the audit log. A change and its entry are stored in one transaction. If a change needs
// several transactions, its entry is stored before the first one.
type Service struct {
	Options
	exports exports    // the running exports, which clients fetch piece by piece
	mu      sync.Mutex // lets only one reload run at a time
}

// Options are the dependencies of a Service.
type Options struct {
	Store         sqlite.UserAccessStores
	Log           sqlite.Audit
	People        *access.People
	Configuration Configuration
	Seal          *access.Sealer // nil if the sealing key can't be used
	Gate          *access.Gate
	Say           func(context.Context, supervisor.Delivery) (supervisor.Delivery, error)
	Queued        func(conversation int64) // reports a new delivery in a conversation's outbox
	Bot           func() string            // the bot's name on Telegram; "" if unknown
	Running       *RunningParts            // nil if no service runs
	Now           func() time.Time
	Logger        hclog.Logger
	// EraseIndex deletes a user's part of the search index, after the user's rows are deleted; nil
	// does nothing.
	EraseIndex func(ctx context.Context, user string) error
	// Archive lets a one-shot worker archive a user's home, which this process may not read. If
	// history is set, the archive has the home's file history too. The user may be a former user.
	// Archive's errors are texts for people.
	Archive func(ctx context.Context, user string, history bool) (operation.Archive, error)
	// Erase lets one-shot workers delete all files of a user's home and of its file history, for
	// some seconds. If files are left, another call continues. The user may be a former user. The
	// errors in the result are texts for people.
	Erase  func(ctx context.Context, user string, what EraseTargets) Erased
	Copies DatabaseCopies // the database's copies; nil means that there are none
	// Acted records an act that must hold after a restore of a backup too; nil does nothing.
	Acted func(backup.Act)
}

// EraseTargets are the folders of a user that Erase empties, the history first.
type EraseTargets struct{ History, Home bool }

// Erased is the result of Erase for both folders.
type Erased struct {
	History, Home       operation.EraseReport
	HistoryErr, HomeErr error
}

// DatabaseCopies are the copies of the database from before its migrations.
type DatabaseCopies interface {
	List() ([]string, error)
	Delete() (int, error)
}

// Configuration gives the calls of admins access to the configuration.
type Configuration interface {
	// Summary returns facts about the users in the current configuration.
	Summary() ConfigurationSummary
	// CheckNewUser returns an error for people if a user can't be added to the configured users.
	CheckNewUser(u supervisor.User) error
	// Refresh loads the users again.
	Refresh(ctx context.Context) error
	// ReadChanges reads the configuration file again and lists the changes. It may ask Telegram
	// about a new token. The function use applies the changes; if use fails, nothing has changed.
	// The errors of both functions are for people.
	ReadChanges(ctx context.Context) (changes []ConfigurationChange, use func(ctx context.Context) error, err error)
}

// ConfigurationSummary has facts of a configuration about its users.
type ConfigurationSummary struct {
	Users []supervisor.User // the configured users
	Homes string            // the folder for the homes of added users
	// the folder for the file histories of all homes
	Histories string
	HasBot    bool              // a Telegram bot is configured
	Logins    access.GateLimits // the limits of logins
	// reports whether a folder is, contains or lies in a configured user's folder
	Overlaps  func(home string) bool
	ValidName func(name string) bool // reports whether a name is allowed for a user
	File      string                 // the path of the configuration file
	Note      string                 // warnings, and settings that only a restart applies; "" means none
}

// RunningParts are the parts that exist only while the service runs.
type RunningParts struct {
	Work UserWork
	// deletes expired files of messages from terminals
	Clean func(ctx context.Context, now time.Time) error
}

// New makes a service.
func New(o Options) *Service { return &Service{Options: o} }

type Caller struct {
	UID   uint32
	Admin bool
	name  string // the name of the user with the account; "" if unknown
}

func (c Caller) String() string {
	if c.name == "" {
		return fmt.Sprintf("user id %d", c.UID)
	}
	return fmt.Sprintf("%s (user id %d)", c.name, c.UID)
}

// Caller returns the caller with a Unix user id.
func (o *Service) Caller(uid uint32) Caller {
	c := Caller{UID: uid, Admin: o.People.IsAdmin(uid)}
	if u, err := o.People.FindSpeaker(uid, ""); err == nil {
		c.name = u.Name
	}
	return c
}

// Methods of the control socket for admins.
const (
	MethodUserList       = "user.list"
	MethodUserAdd        = "user.add"
	MethodUserSuspend    = "user.suspend"
	MethodUserRemove     = "user.remove"
	MethodUserInvite     = "user.invite"
	MethodUserDisconnect = "user.disconnect"
	MethodUserExport     = "user.export"
	MethodUserDelete     = "user.delete"
	MethodTotpEnroll     = "totp.enroll"
	MethodTotpConfirm    = "totp.confirm"
	MethodTotpReset      = "totp.reset"
	MethodTotpUnlock     = "totp.unlock"
	MethodAuditList      = "audit.list"
	MethodAuditVerify    = "audit.verify"
	MethodReload         = "reload"
	MethodDiagnose       = "examine"
)

// ControlCalls returns all calls of this package. In calls that are not only for admins, users may
// ask about themselves.
func (o *Service) ControlCalls() []feature.ControlCall {
	return []feature.ControlCall{
		forUsers(o, MethodUserList, (*Service).ListPeople),
		forAdmins(o, MethodUserAdd, (*Service).AddPerson),
		forAdmins(o, MethodUserSuspend, (*Service).suspend),
		forAdmins(o, MethodUserRemove, (*Service).removePerson),
		forAdmins(o, MethodUserInvite, (*Service).Invite),
		forAdmins(o, MethodUserDisconnect, (*Service).disconnect),
		forUsers(o, MethodUserExport, (*Service).Export),
		forAdmins(o, MethodUserDelete, (*Service).DeletePerson),
		forUsers(o, MethodTotpEnroll, (*Service).EnrollUser),
		forUsers(o, MethodTotpConfirm, (*Service).confirm),
		forAdmins(o, MethodTotpReset, (*Service).ResetFactor),
		forAdmins(o, MethodTotpUnlock, (*Service).unlockFactor),
		forAdmins(o, MethodAuditList, (*Service).listAudit),
		forAdmins(o, MethodAuditVerify, (*Service).verifyAudit),
		forAdmins(o, MethodReload, (*Service).reload),
		forAdmins(o, MethodDiagnose, (*Service).examine),
	}
}

// action is a method that answers a call.
type action[Q, R any] = func(*Service, context.Context, Caller, Q) (R, error)

// forUsers makes a call that every user may make.
func forUsers[Q, R any](o *Service, name string, do action[Q, R]) feature.ControlCall {
	return feature.NewControlCall(name, func(ctx context.Context, by feature.Caller, q Q) (R, error) {
		return do(o, ctx, o.Caller(by.UID), q)
	})
}

// forAdmins makes a call that only an admin may make.
func forAdmins[Q, R any](o *Service, name string, do action[Q, R]) feature.ControlCall {
	call := forUsers(o, name, do)
	call.AdminsOnly = true
	return call
}

// acted records an act in the journal beside the backups.
func (o *Service) acted(kind backup.ActKind, user, what string) {
	if o.Acted != nil {
		o.Acted(backup.Act{Kind: kind, User: user, What: what})
	}
}

// auditEntry makes an entry of the audit log, with the action, the user that it concerns, and the
// caller.
func auditEntry(by Caller, user, action, detail string) sqlite.AuditEntry {
	return sqlite.AuditEntry{User: user, Action: action, Detail: strings.TrimSpace(strings.TrimSuffix(detail, ".") +
		" by " + by.String())}
}

// note stores an entry in the audit log, in its own transaction. Calls use it if they change
// nothing in the database, or before their first change.
func (o *Service) note(ctx context.Context, by Caller, user, action, detail string) error {
	return o.Log.AppendAll(ctx, []sqlite.AuditEntry{auditEntry(by, user, action, detail)})
}

// userOrCaller returns the user that a call concerns: the user that an admin names, or else the
// caller.
func (o *Service) userOrCaller(by Caller, name string) (supervisor.User, error) {
	if !by.Admin {
		return o.People.FindSpeaker(by.UID, name)
	}
	if u, known := o.People.Find(name); known {
		return u, nil
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
		textNoSuchUser, name, strings.Join(o.People.Names(), ", "))}
}

// configured says whether a user is in the configuration.
func (o *Service) configured(name string) bool {
	return slices.ContainsFunc(o.Configuration.Summary().Users, func(u supervisor.User) bool { return u.Name == name })
}

// notify sends a user a message in a private chat.
func (o *Service) notify(ctx context.Context, u supervisor.User, text string) error {
	d, err := o.Say(ctx, supervisor.Delivery{Conversation: u.PrivateChat(), Text: text})
	if err == nil {
		o.Queued(d.Conversation.ID)
	}
	return err
}
