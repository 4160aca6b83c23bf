// Package admin has what admins have done: people, second factors, the audit log, exports,
// deletion, and reading the configuration again. It is one set of typed calls; the control socket
// answers them, and so does a process that has locked the state folder.
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

// Service is what admins have done about people, the gate and the configuration: over the control
// socket, or in a process of their own while no service runs. Nothing that it changes takes effect
// without its entry in the audit log: the two are kept in one transaction, and what is of several
// is in the log before the first of them.
type Service struct {
	Options
	exports exports    // that somebody fetches
	mu      sync.Mutex // has one reload run at a time
}

// Options are what a Service works on.
type Options struct {
	Store         sqlite.Access
	Log           sqlite.Audit
	People        *access.People
	Configuration Configuration
	Seal          *access.Seal // nil where its key can't be used
	Gate          *access.Gate
	Say           func(context.Context, supervisor.Delivery) (supervisor.Delivery, error)
	Queued        func(conversation int64) // there is something in its outbox
	Bot           func() string            // its name on Telegram; "" where that is not known
	Running       *Running                 // nil where no service runs
	Now           func() time.Time
	Logger        hclog.Logger
	// EraseIndex takes what can be searched of a person out of the index, once their rows are gone;
	// nil is nothing.
	EraseIndex func(ctx context.Context, user string) error
}

// Configuration is what admins' calls know of the configuration. Its methods may be called from any
// goroutine.
type Configuration interface {
	// Facts are those of the configuration in force.
	Facts() Facts
	// CheckAdded says why somebody can't be added beside those who stand in it. The reason is for
	// people.
	CheckAdded(u supervisor.User) error
	// Refresh reads again who there is.
	Refresh(ctx context.Context) error
	// Read reads the file again, and says what would change. Nothing is in force before use is
	// called; where use fails, nothing has changed. The errors of both are for people.
	Read() (changes []Change, use func(ctx context.Context) error, err error)
}

// Facts are what a configuration says of people as a whole.
type Facts struct {
	Users  []supervisor.User // those who stand in it
	Homes  string            // the folder in which those who are added get a home
	HasBot bool              // there is a bot to write to
	Logins access.Limits     // how long a login lasts
	// whether a folder is, holds or lies in that of somebody who stands in it
	Overlaps  func(home string) bool
	ValidName func(name string) bool // whether somebody can be called so
	File      string                 // its path
	Note      string                 // what only a restart reads again, and warnings; "" means none
}

// Running is what only a service that runs has.
type Running struct {
	Work UserWork
	// drops files that have stood in a chat for as long as they may
	Clean func(ctx context.Context, now time.Time) error
	// Archive has a worker of a person archive their home, which this process may not read. Its
	// errors are for people.
	Archive func(ctx context.Context, user string) (operation.Archive, error)
}

// New makes a service.
func New(o Options) *Service { return &Service{Options: o} }

type Caller struct {
	UID   uint32
	Admin bool
	name  string // of the person whose account it is; "" is not known
}

func (c Caller) String() string {
	if c.name == "" {
		return fmt.Sprintf("user id %d", c.UID)
	}
	return fmt.Sprintf("%s (user id %d)", c.name, c.UID)
}

// Caller says who asks.
func (o *Service) Caller(uid uint32) Caller {
	c := Caller{UID: uid, Admin: o.People.Admin(uid)}
	if u, err := o.People.Speaker(uid, ""); err == nil {
		c.name = u.Name
	}
	return c
}

// What the control socket answers, beside what it always does.
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

// Calls are all of them. Those that are not for admins alone are for everybody about themselves.
func (o *Service) Calls() []feature.Call {
	return []feature.Call{
		forAnybody(o, MethodUserList, (*Service).ListPeople),
		forAdmins(o, MethodUserAdd, (*Service).AddPerson),
		forAdmins(o, MethodUserSuspend, (*Service).suspend),
		forAdmins(o, MethodUserRemove, (*Service).removePerson),
		forAdmins(o, MethodUserInvite, (*Service).Invite),
		forAnybody(o, MethodUserExport, (*Service).Export),
		forAdmins(o, MethodUserDelete, (*Service).DeletePerson),
		forAnybody(o, MethodTotpEnroll, (*Service).Enroll),
		forAnybody(o, MethodTotpConfirm, (*Service).confirm),
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

// forAnybody makes a call of a method that takes its parameters.
func forAnybody[Q, R any](o *Service, name string, do action[Q, R]) feature.Call {
	return feature.NewCall(name, func(ctx context.Context, by feature.Caller, q Q) (R, error) {
		return do(o, ctx, o.Caller(by.UID), q)
	})
}

// forAdmins makes a call that only an admin may make.
func forAdmins[Q, R any](o *Service, name string, do action[Q, R]) feature.Call {
	call := forAnybody(o, name, do)
	call.AdminsOnly = true
	return call
}

// entry says in the audit log what was done about a person, and who had it done.
func entry(by Caller, user, action, detail string) sqlite.AuditRow {
	return sqlite.AuditRow{User: user, Action: action, Detail: strings.TrimSpace(strings.TrimSuffix(detail, ".") + " by " + by.String())}
}

// Note keeps an entry of what changes nothing in the database, or is about to change it.
func (o *Service) note(ctx context.Context, by Caller, user, action, detail string) error {
	return o.Log.PutAll(ctx, []sqlite.AuditRow{entry(by, user, action, detail)})
}

// person is who is meant: whom an admin names, else whoever asks.
func (o *Service) person(by Caller, name string) (supervisor.User, error) {
	if !by.Admin {
		return o.People.Speaker(by.UID, name)
	}
	if u, known := o.People.Find(name); known {
		return u, nil
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
		textNoSuchUser, name, strings.Join(o.People.Names(), ", "))}
}

// configured says whether a person stands in the configuration.
func (o *Service) configured(name string) bool {
	return slices.ContainsFunc(o.Configuration.Facts().Users, func(u supervisor.User) bool { return u.Name == name })
}

// notify tells a person something where they talk, and nobody else reads it.
func (o *Service) notify(ctx context.Context, u supervisor.User, text string) error {
	d, err := o.Say(ctx, supervisor.Delivery{Conversation: u.PrivateChat(), Text: text})
	if err == nil {
		o.Queued(d.Conversation.ID)
	}
	return err
}
