// Package admin has what admins have done: people, second factors, the audit log, exports,
// deletion, and reading the configuration again. It is one set of typed calls; the control socket
// answers them, and so does a process that has locked the state folder.
package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
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

// Archive is a tar of somebody's home. Closing it drops it.
type Archive struct {
	io.ReadCloser
	Size    int64
	LeftOut []string // lines about what could not be had
}

// Running is what only a service that runs has.
type Running struct {
	Work UserWork
	// drops files that have stood in a chat for as long as they may
	Clean func(ctx context.Context, now time.Time) error
	// Archive has a worker of a person archive their home, which this process may not read. Its
	// errors are for people.
	Archive func(ctx context.Context, user string) (Archive, error)
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

// method is one thing that the Service does.
type method func(o *Service, ctx context.Context, by Caller, req *protocol.Request) (any, error)

// forAnybody is an method of a function that takes its parameters.
func forAnybody[Q, R any](do func(*Service, context.Context, Caller, Q) (R, error)) method {
	return func(o *Service, ctx context.Context, by Caller, req *protocol.Request) (any, error) {
		var q Q
		if err := req.Decode(&q); err != nil {
			return nil, err
		}
		return do(o, ctx, by, q)
	}
}

// forAdmins is an method that only an admin has done.
func forAdmins[Q, R any](do func(*Service, context.Context, Caller, Q) (R, error)) method {
	run := forAnybody(do)
	return func(o *Service, ctx context.Context, by Caller, req *protocol.Request) (any, error) {
		if !by.Admin {
			return nil, &supervisor.Error{Code: supervisor.CodeForbidden, Message: textAdminsOnly}
		}
		return run(o, ctx, by, req)
	}
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

// methods are all of them. Those that are not for admins alone are for everybody about themselves.
var methods = map[string]method{
	MethodUserList:    forAnybody((*Service).ListPeople),
	MethodUserAdd:     forAdmins((*Service).AddPerson),
	MethodUserSuspend: forAdmins((*Service).suspend),
	MethodUserRemove:  forAdmins((*Service).removePerson),
	MethodUserInvite:  forAdmins((*Service).Invite),
	MethodUserExport:  forAnybody((*Service).Export),
	MethodUserDelete:  forAdmins((*Service).DeletePerson),
	MethodTotpEnroll:  forAnybody((*Service).Enroll),
	MethodTotpConfirm: forAnybody((*Service).confirm),
	MethodTotpReset:   forAdmins((*Service).ResetFactor),
	MethodTotpUnlock:  forAdmins((*Service).unlockFactor),
	MethodAuditList:   forAdmins((*Service).listAudit),
	MethodAuditVerify: forAdmins((*Service).verifyAudit),
	MethodReload:      forAdmins((*Service).reload),
	MethodExamine:     forAdmins((*Service).examine),
}

// Method answers a call of a process with that user id.
type Method = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error)

// Methods are the methods as the control socket has them done.
func (o *Service) Methods() map[string]Method {
	answers := map[string]Method{}
	for method, do := range methods {
		answers[method] = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
			return do(o, ctx, o.Caller(uid), req)
		}
	}
	return answers
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

// Call answers this process itself, in the same way as the control socket would. Who may open the
// state folder is an admin.
func (o *Service) Call(ctx context.Context, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer, err := o.Methods()[method](ctx, uint32(os.Getuid()), &protocol.Request{Method: method, Params: text})
	if err != nil {
		return err
	}
	if text, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(text, result)
}
