package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/sqlite"
)

// office is what admins have done about people, the gate and the configuration: over the control socket, or in a process
// of their own while no service runs. Nothing that it changes takes effect without its entry in the audit log: the two are
// kept in one transaction, and what is of several is in the log before the first of them.
type office struct {
	store         sqlite.Access
	log           sqlite.Audit
	people        *access.People
	configuration *configuration
	seal          *access.Seal // nil where its key can't be used
	gate          *access.Gate
	say           func(context.Context, supervisor.Delivery) (supervisor.Delivery, error)
	said          func(conversation int64) // there is something in its outbox
	bot           func() string            // its name on Telegram; "" where that is not known
	force         *force                   // nil where nothing runs
	labour        *labour                  // likewise
	now           func() time.Time
	out           hclog.Logger

	mu sync.Mutex // has one reload run at a time

	parcels parcels // exports that somebody fetches
}

// newOffice makes one that works on what a service has.
func newOffice(s *Service) *office {
	return &office{
		store: s.db.Access(), log: s.db.Audit(), people: s.people, configuration: s.configuration, seal: s.seal, gate: s.gate,
		say: s.db.Outbox().Say, said: s.deliveryQueued, bot: s.botName, now: s.moment, out: s.Log.Named("office"),
	}
}

// botName is the bot's name, once Telegram has said it.
func (s *Service) botName() string {
	if s.channel == nil {
		return ""
	}
	return s.channel.health.Status().Username
}

// clerk is a process that has something done.
type clerk struct {
	uid   uint32
	admin bool
	name  string // of the person whose account it is; "" is not known
}

func (c clerk) String() string {
	if c.name == "" {
		return fmt.Sprintf("user id %d", c.uid)
	}
	return fmt.Sprintf("%s (user id %d)", c.name, c.uid)
}

// clerk says who asks.
func (o *office) clerk(uid uint32) clerk {
	c := clerk{uid: uid, admin: o.people.Admin(uid)}
	if u, err := o.people.Speaker(uid, ""); err == nil {
		c.name = u.Name
	}
	return c
}

// errand is one thing that the office does.
type errand func(o *office, ctx context.Context, by clerk, req *protocol.Request) (any, error)

// branch is one of the office's: what it does is about one thing.
type branch interface{ ~struct{ *office } }

type (
	household struct{ *office } // people, and what lets them in
	factors   struct{ *office } // what they prove with that it is they
	estates   struct{ *office } // all that there is of a person
	records   struct{ *office } // the audit log
	charter   struct{ *office } // the configuration
)

// forAnybody is an errand of a function that takes its parameters.
func forAnybody[D branch, Q, R any](do func(D, context.Context, clerk, Q) (R, error)) errand {
	return func(o *office, ctx context.Context, by clerk, req *protocol.Request) (any, error) {
		var q Q
		if err := req.Decode(&q); err != nil {
			return nil, err
		}
		return do(D{o}, ctx, by, q)
	}
}

// forAdmins is an errand that only an admin has done.
func forAdmins[D branch, Q, R any](do func(D, context.Context, clerk, Q) (R, error)) errand {
	run := forAnybody(do)
	return func(o *office, ctx context.Context, by clerk, req *protocol.Request) (any, error) {
		if !by.admin {
			return nil, &supervisor.Error{Code: supervisor.CodeForbidden, Message: "Only an admin may do that; this account is not one."}
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
	methodUserExport  = "user.export"
	MethodUserDelete  = "user.delete"
	MethodTotpEnroll  = "totp.enroll"
	MethodTotpConfirm = "totp.confirm"
	MethodTotpReset   = "totp.reset"
	MethodTotpUnlock  = "totp.unlock"
	MethodAuditList   = "audit.list"
	MethodAuditVerify = "audit.verify"
	MethodReload      = "reload"
)

// errands are all of them. Those that are not for admins alone are for everybody about themselves.
var errands = map[string]errand{
	MethodUserList:    forAnybody(household.listPeople),
	MethodUserAdd:     forAdmins(household.addPerson),
	MethodUserSuspend: forAdmins(household.suspend),
	MethodUserRemove:  forAdmins(household.removePerson),
	MethodUserInvite:  forAdmins(household.invite),
	methodUserExport:  forAnybody(estates.export),
	MethodUserDelete:  forAdmins(estates.deletePerson),
	MethodTotpEnroll:  forAnybody(factors.enroll),
	MethodTotpConfirm: forAnybody(factors.confirm),
	MethodTotpReset:   forAdmins(factors.resetFactor),
	MethodTotpUnlock:  forAdmins(factors.unlockFactor),
	MethodAuditList:   forAdmins(records.listAudit),
	MethodAuditVerify: forAdmins(records.verifyAudit),
	MethodReload:      forAdmins(charter.reload),
}

// answers are the errands as the control socket has them done.
func (o *office) answers() map[string]control.Method {
	answers := map[string]control.Method{}
	for method, do := range errands {
		answers[method] = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
			return do(o, ctx, o.clerk(uid), req)
		}
	}
	return answers
}

// entry says in the audit log what was done about a person, and who had it done.
func entry(by clerk, user, action, detail string) sqlite.AuditRow {
	return sqlite.AuditRow{User: user, Action: action, Detail: strings.TrimSpace(strings.TrimSuffix(detail, ".") + " by " + by.String())}
}

// Note keeps an entry of what changes nothing in the database, or is about to change it.
func (o *office) note(ctx context.Context, by clerk, user, action, detail string) error {
	return o.log.PutAll(ctx, []sqlite.AuditRow{entry(by, user, action, detail)})
}

// person is who is meant: whom an admin names, else whoever asks.
func (o *office) person(by clerk, name string) (supervisor.User, error) {
	if !by.admin {
		return o.people.Speaker(by.uid, name)
	}
	if u, known := o.people.Find(name); known {
		return u, nil
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
		"There is no user %q. There are: %s.", name, strings.Join(o.people.Names(), ", "))}
}

// configured says whether a person stands in the configuration.
func (o *office) configured(name string) bool {
	for _, u := range o.configuration.Current().Users {
		if u.Name == name {
			return true
		}
	}
	return false
}

// notify tells a person something where they talk: in their private chat on Telegram, else in the terminal.
func (o *office) notify(ctx context.Context, u supervisor.User, text string) error {
	c := supervisor.Conversation{User: u.Name, Channel: supervisor.ChannelTerminal}
	if u.Telegram != 0 {
		c.Channel, c.Chat = supervisor.ChannelTelegram, fmt.Sprint(u.Telegram)
	}
	d, err := o.say(ctx, supervisor.Delivery{Conversation: c, Text: text})
	if err == nil {
		o.said(d.Conversation.ID)
	}
	return err
}

// Refused is what a person may read of why something is not done.
func Refused(code supervisor.Code, format string, args ...any) error {
	return &supervisor.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
