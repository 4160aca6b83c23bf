// Package calendar is the feature that shows the user's calendar, adds sent events to it, and sends
// events. The user's worker reads and writes the file calendar.ics.
//
// It also fetches calendars that others write: those that the user subscribes to, and those that an
// admin has configured. A worker gets the last copy. The address of a subscription is a secret that
// nobody sees: it is sealed before the user's message is stored.
package calendar

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// InboundFinder finds the inbounds of users.
type InboundFinder interface {
	Find(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

// Options are the dependencies of the feature.
type Options struct {
	Operations Operations
	Kept       sqlite.Operations // rows of the operations that Operations runs
	Effects    sqlite.Effects
	Marks      sqlite.Taints
	Sent       InboundFinder
	Zone       func(user string) *time.Location

	// Dependencies of subscribed calendars.
	Subscriptions sqlite.CalendarSubscriptions
	Seal          Sealer
	Client        *egress.Client
	Calls         *external.Calls
	Spool         *spool.Spool
	Blobs         sqlite.Blobs
	Now           func() time.Time
}

// Calendar answers /calendar. Its methods may be called from any goroutine.
type Calendar struct {
	o          Options
	configured atomic.Pointer[[]configuration]
}

// New makes the feature.
func New(o Options) *Calendar { return &Calendar{o: o} }

const (
	commandName = "calendar"
	prefix      = "cal:"
	fileName    = "calendar.ics"
)

// Feature returns the command of the calendar, and the host call for subscribed calendars.
func (c *Calendar) Feature() feature.Feature {
	return feature.Feature{Name: "calendar", HostCalls: c.hostCalls(), Commands: []feature.Command{{
		SlashCommand: supervisor.SlashCommand{Name: commandName,
			Help: "your events today; /calendar week, /calendar month, /calendar 2026-12-03, /calendar import PATH, " +
				"/calendar send ID, /calendar subscribe ADDRESS, /calendar subscriptions, /calendar unsubscribe NAME"},
		Group: feature.HelpGroupReminders, Run: c.command, Private: feature.AlwaysPrivateAnswer, Prefix: prefix,
		Press: c.press}}}
}

// operate runs a calendar operation in the user's worker. It deletes the operation's row
// afterwards, because the row has the user's words.
func (c *Calendar) operate(ctx context.Context, user string, p protocol.CalendarParameters) (
	r protocol.CalendarResult, err error) {
	parameters, _ := json.Marshal(p) // Marshal never fails for these parameters
	op, err := c.o.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindCalendar,
		Parameters: string(parameters)})
	if err == nil {
		op, err = c.o.Operations.Wait(ctx, op.ID)
	}
	if err == nil {
		err = c.o.Kept.Delete(context.WithoutCancel(ctx), op.ID)
	}
	switch {
	case err != nil:
		return r, fmt.Errorf("%s in the calendar of %s: %w", p.Action, user, err)
	case op.State != supervisor.OperationDone:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(op.Result))
	}
	if err = json.Unmarshal([]byte(op.Result), &r); err == nil && r.Refused != "" {
		err = supervisor.Errorf(supervisor.CodeInvalid, textRefused, markdown.EscapeSentence(r.Refused))
	}
	return r, err
}
