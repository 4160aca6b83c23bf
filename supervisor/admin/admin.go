// Package admin has the calls for admins: people, second factors, the audit log, exports, deletion,
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
	"mews/supervisor/feature"
	"mews/supervisor/operation"
	"mews/supervisor/sqlite"
)

// Service manages people, the gate and the configuration for admins. It serves the control socket,
// or runs in a process of its own while no service runs. No change takes effect without its entry
// in the audit log. A change and its entry are kept in one transaction; if a change needs several
// transactions, its entry is kept before the first.
type Service struct {
	Options
	exports exports    // exports that clients fetch
	mu      sync.Mutex // allows only one reload at a time
}

// Options are the parts of a Service.
type Options struct {
	Store         sqlite.Access
	Log           sqlite.Audit
	People        *access.People
	Configuration Configuration
	Seal          *access.Seal // nil if the sealing key can't be used
	Gate          *access.Gate
	Say           func(context.Context, supervisor.Delivery) (supervisor.Delivery, error)
	Queued        func(conversation int64) // reports a new delivery in a conversation's outbox
	Bot           func() string            // the bot's name on Telegram; "" if it is not known
	Running       *Running                 // nil if no service runs
	Now           func() time.Time
	Logger        hclog.Logger
	// EraseIndex deletes a user's part of the search index, after their rows are deleted; nil does
	// nothing.
	EraseIndex func(ctx context.Context, user string) error
}

// Configuration gives the calls of admins access to the configuration.
type Configuration interface {
	// Facts returns facts of the current configuration.
	Facts() Facts
	// CheckAdded says why a user can't be added to the configured ones. The error is for people.
	CheckAdded(u supervisor.User) error
	// Refresh reloads the users.
	Refresh(ctx context.Context) error
	// Read reads the file again and lists the changes. use puts them into force; if it fails,
	// nothing has changed. The errors of both are for people.
	Read() (changes []Change, use func(ctx context.Context) error, err error)
}

// Facts are facts of a configuration about its users.
type Facts struct {
	Users  []supervisor.User // the configured users
	Homes  string            // the folder for the homes of added users
	HasBot bool              // a Telegram bot is configured
	Logins access.Limits     // limits of logins
	// says whether a folder is, contains or lies in a configured user's folder
	Overlaps  func(home string) bool
	ValidName func(name string) bool // says whether a name is allowed
	File      string                 // the path of the configuration
	Note      string                 // warnings, and settings that only a restart reads again; "" means none
}

// Running are the parts that exist only while the service runs.
type Running struct {
	Work UserWork
	// drops files whose time in a chat is over
	Clean func(ctx context.Context, now time.Time) error
	// Archive lets a user's worker archive their home, which this process may not read. Its errors
	// are for people.
	Archive func(ctx context.Context, user string) (operation.Archive, error)
}

// New makes a service.
func New(o Options) *Service { return &Service{Options: o} }

type Caller struct {
	UID   uint32
	Admin bool
	name  string // name of the user with that account; "" if it is not known
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
	if u, err := o.People.Speaker(uid, ""); err == nil {
		c.name = u.Name
	}
	return c
}

// Methods of the control socket for admins.
const (
	MethodUserList    = "user.list"
	MethodUserAdd     = "user.add"
	MethodUserSuspend = "user.suspend"
	MethodUserRemove  = "user.remove"
	MethodUserInvite  = "user.invite"
	MethodUserExport  = "user.export"
	MethodUserDelete  = "user.delete"
	MethodTotpEnroll  = "totp.enroll"
	MethodTotpConfirm = "totp.confirm"
	MethodTotpReset   = "totp.reset"
	MethodTotpUnlock  = "totp.unlock"
	MethodAuditList   = "audit.list"
	MethodAuditVerify = "audit.verify"
	MethodReload      = "reload"
	MethodExamine     = "examine"
)

// Calls returns all calls. Calls that are not only for admins let users ask about themselves.
func (o *Service) Calls() []feature.Call {
	return []feature.Call{
		forUsers(o, MethodUserList, (*Service).ListPeople),
		forAdmins(o, MethodUserAdd, (*Service).AddPerson),
		forAdmins(o, MethodUserSuspend, (*Service).suspend),
		forAdmins(o, MethodUserRemove, (*Service).removePerson),
		forAdmins(o, MethodUserInvite, (*Service).Invite),
		forUsers(o, MethodUserExport, (*Service).Export),
		forAdmins(o, MethodUserDelete, (*Service).DeletePerson),
		forUsers(o, MethodTotpEnroll, (*Service).Enroll),
		forUsers(o, MethodTotpConfirm, (*Service).confirm),
		forAdmins(o, MethodTotpReset, (*Service).ResetFactor),
		forAdmins(o, MethodTotpUnlock, (*Service).unlockFactor),
		forAdmins(o, MethodAuditList, (*Service).listAudit),
		forAdmins(o, MethodAuditVerify, (*Service).verifyAudit),
		forAdmins(o, MethodReload, (*Service).reload),
		forAdmins(o, MethodExamine, (*Service).examine),
	}
}

// action is a method that answers a call.
type action[Q, R any] = func(*Service, context.Context, Caller, Q) (R, error)

// forUsers makes a call that every user may make.
func forUsers[Q, R any](o *Service, name string, do action[Q, R]) feature.Call {
	return feature.NewCall(name, func(ctx context.Context, by feature.Caller, q Q) (R, error) {
		return do(o, ctx, o.Caller(by.UID), q)
	})
}

// forAdmins makes a call that only an admin may make.
func forAdmins[Q, R any](o *Service, name string, do action[Q, R]) feature.Call {
	call := forUsers(o, name, do)
	call.AdminsOnly = true
	return call
}

// auditEntry makes an entry of the audit log: what was done about a user, and by whom.
func auditEntry(by Caller, user, action, detail string) sqlite.AuditRow {
	return sqlite.AuditRow{User: user, Action: action, Detail: strings.TrimSpace(strings.TrimSuffix(detail, ".") + " by " + by.String())}
}

// note keeps an entry in the audit log, alone: for calls that change nothing in the database, or
// before they do.
func (o *Service) note(ctx context.Context, by Caller, user, action, detail string) error {
	return o.Log.PutAll(ctx, []sqlite.AuditRow{auditEntry(by, user, action, detail)})
}

// userOrCaller returns the user that a call is about: the one that an admin names, otherwise the caller.
func (o *Service) userOrCaller(by Caller, name string) (supervisor.User, error) {
	if !by.Admin {
		return o.People.Speaker(by.UID, name)
	}
	if u, known := o.People.Find(name); known {
		return u, nil
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
		textNoSuchUser, name, strings.Join(o.People.Names(), ", "))}
}

// configured says whether a user is in the configuration.
func (o *Service) configured(name string) bool {
	return slices.ContainsFunc(o.Configuration.Facts().Users, func(u supervisor.User) bool { return u.Name == name })
}

// notify sends a user a message in a private chat.
func (o *Service) notify(ctx context.Context, u supervisor.User, text string) error {
	d, err := o.Say(ctx, supervisor.Delivery{Conversation: u.PrivateChat(), Text: text})
	if err == nil {
		o.Queued(d.Conversation.ID)
	}
	return err
}
