package access

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// check is one inbound at the gate.
type check struct {
	gate    *Gate
	in      supervisor.Inbound
	command supervisor.SlashCommand // that in is; the zero value where it is none
	user    supervisor.User
	now     time.Time
	limits  Limits
	factor  supervisor.Factor // set by findFactor
}

// checkOrder holds the parts of a check. Each decides what becomes of the inbound, or returns nil and leaves that to the
// next one. A guard meets what none of them decides.
var checkOrder = []func(*check, context.Context) (*supervisor.GateDecision, error){
	(*check).urgentCommand, (*check).rateLimited, (*check).exempt, (*check).findFactor, (*check).withoutFactor, (*check).unreadableFactor,
	(*check).recoveryCode, (*check).anyCode, (*check).recoveryAmongWords, (*check).pressedWhileClosed,
}

// urgentCommand lets through what must not wait for a code or a rate: who sees that somebody else uses their account needs it
// at once.
func (v *check) urgentCommand(context.Context) (*supervisor.GateDecision, error) {
	if !v.command.Urgent || !v.command.Open {
		return nil, nil
	}
	return &supervisor.GateDecision{Lock: v.command.Locks[strings.ToLower(v.in.Arguments())]}, nil
}

func (v *check) rateLimited(context.Context) (*supervisor.GateDecision, error) {
	p := v.gate.rates.take(v.user.Name, messageKey{v.in.Source, v.in.Key}, v.now, v.limits)
	if p == rateTaken {
		return nil, nil
	}
	return &supervisor.GateDecision{Refused: rateLimitText(v.limits), Quiet: p == rateRefusedQuietly, Code: supervisor.CodeUnavailable}, nil
}

func (v *check) exempt(context.Context) (*supervisor.GateDecision, error) {
	if v.command.Open || v.user.Codes == supervisor.CodesOff {
		return &supervisor.GateDecision{}, nil
	}
	return nil, nil
}

func (v *check) findFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	f, known, err := v.gate.o.Factors.Find(ctx, v.user.Name)
	if err != nil {
		return v.lookupFailed(ctx, "find their second factor", err)
	}
	if known {
		v.factor = f
	}
	return nil, nil
}

// withoutFactor settles everything of a person who has no second factor that counts.
func (v *check) withoutFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	enrolling := len(v.factor.Secret) > 0
	switch {
	case v.factor.Confirmed:
		return nil, nil
	case v.in.Kind == supervisor.KindText && isUnusedRecovery(v.in.Text, v.factor): // it will be good once the factor is confirmed
		if !v.private() {
			return &supervisor.GateDecision{Decide: decideExposedRecovery(v.in.Text)}, nil
		}
		return v.checkLogin(), nil
	case enrolling && v.in.Kind == supervisor.KindText && v.private() && appCode(v.in.Text) != "":
		if m, err := v.unreadableFactor(ctx); m != nil || err != nil {
			return m, err
		}
		return v.checkLogin(), nil
	case optional(v.user):
		return &supervisor.GateDecision{}, nil
	case enrolling:
		return v.refuse("Your second factor is not set up yet. Add the secret that you were given to your authenticator app, and " +
			"send me the six digits that it shows, here. Then send this again."), nil
	}
	return v.refuse("You can speak here with a second factor only, and have none yet. Ask an admin for an invite, or to run " +
		"`mews totp enroll " + v.user.Name + "`. Then send this again."), nil
}

// unreadableFactor settles everything of a person whose factor can't be looked at. A code is told the same as all else; no word of it is
// kept, and it stays good unless others read it.
func (v *check) unreadableFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	_, err := v.gate.o.Seal.Open(v.user.Name, v.factor.Secret)
	if err == nil {
		return nil, nil
	}
	m, err := v.lookupFailed(ctx, "read their second factor", err)
	switch {
	case err != nil || v.in.Kind != supervisor.KindText:
	case v.private() && (appCode(v.in.Text) != "" || looksLikeRecovery(v.in.Text, v.factor)):
		m = &supervisor.GateDecision{Decide: decideUnreadable(v.user.Name)}
	case isUnusedRecovery(v.in.Text, v.factor):
		m = &supervisor.GateDecision{Decide: decideExposedRecovery(v.in.Text)}
	}
	return m, err
}

// recoveryCode settles what is a recovery code that is still good, wherever it was sent: it is used up, and no word of it is kept.
// Where others read it, it opens nothing.
func (v *check) recoveryCode(ctx context.Context) (*supervisor.GateDecision, error) {
	switch {
	case v.in.Kind != supervisor.KindText || !isUnusedRecovery(v.in.Text, v.factor):
		return nil, nil
	case !v.private():
		return &supervisor.GateDecision{Decide: decideExposedRecovery(v.in.Text)}, nil
	}
	m := v.checkLogin()
	if open, err := v.loggedIn(ctx); open && err == nil {
		m.Guard = v.guarded().Guard
	}
	return m, nil
}

// anyCode settles what is a code, where one is asked for: in a private chat whose gate is closed, and in one whose gate is open
// while a group of the person's waits for a code that was asked for in that very chat. What waits elsewhere, as in another
// account's private chat, waits for a code sent there: here six digits are words then, as they are where nothing waits at
// all. Words they are unless the gate has closed as they are kept.
func (v *check) anyCode(ctx context.Context) (*supervisor.GateDecision, error) {
	if v.in.Kind != supervisor.KindText || !v.private() || appCode(v.in.Text) == "" && !looksLikeRecovery(v.in.Text, v.factor) {
		return nil, nil
	}
	open, err := v.loggedIn(ctx)
	if err != nil {
		return v.lookupFailed(ctx, "find where they are logged in", err)
	}
	if !open {
		return v.checkLogin(), nil
	}
	switch held, err := v.gate.o.Held(ctx, v.in.Conversation); {
	case err != nil:
		return v.lookupFailed(ctx, "find what waits for a code", err)
	case held == 0:
		m := v.guarded()
		m.Guard.Decide = v.checkLogin().Decide
		return &m, nil
	}
	return v.checkLogin(), nil
}

// recoveryAmongWords settles a recovery code among other words, while the gate is closed: what is held would be read by others once it is
// open, and such a code stays good.
func (v *check) recoveryAmongWords(ctx context.Context) (*supervisor.GateDecision, error) {
	if v.in.Kind == supervisor.KindPress || !ContainsRecovery(v.in.Text) {
		return nil, nil
	}
	if closed, m, err := v.closed(ctx); !closed {
		return m, err
	}
	return &supervisor.GateDecision{Refused: recoveryAmongWordsText}, nil
}

// closed says whether the gate is. Where that can't be found out, the meeting settles what came.
func (v *check) closed(ctx context.Context) (bool, *supervisor.GateDecision, error) {
	open, err := v.loggedIn(ctx)
	if err != nil {
		m, err := v.lookupFailed(ctx, "find where they are logged in", err)
		return false, m, err
	}
	return !open, nil, nil
}

// pressedWhileClosed settles what was pressed while the gate is closed: it is not kept for later, when it may mean something else.
func (v *check) pressedWhileClosed(ctx context.Context) (*supervisor.GateDecision, error) {
	if v.in.Kind != supervisor.KindPress {
		return nil, nil
	}
	if closed, m, err := v.closed(ctx); !closed {
		return m, err
	}
	text := "Locked. Send your code, then press again."
	if !v.private() {
		text = "Locked. Write a message here, send your code in our private chat when I ask for it there, then press again."
	}
	return &supervisor.GateDecision{Refused: text}, nil
}

func (v *check) checkLogin() *supervisor.GateDecision {
	return &supervisor.GateDecision{Decide: v.gate.DecideLogin(v.user.Name, v.in.Text)}
}

func (v *check) loggedIn(ctx context.Context) (bool, error) {
	c := v.in.Conversation
	l, known, err := v.gate.o.Logins.FindLogin(ctx, v.user.Name, c.Channel, c.Chat)
	return known && l.Open(v.now, v.limits.IdleTimeout, v.limits.Lifetime), err
}

// guarded has an inbound wait for a code where the gate is closed as it is kept.
func (v *check) guarded() supervisor.GateDecision {
	text := "Locked. Send the six digits that your authenticator app shows, or a recovery code. What you sent is kept, and is " +
		"answered then."
	if !v.private() {
		text = "What you sent in another chat waits, for it is locked there. Send me the six digits that your authenticator app " +
			"shows here, in our private chat, or a recovery code. What you sent is answered there then."
	}
	if until := lockedUntil(v.factor, v.now); v.now.Before(until) {
		text += " No code is taken before " + formatTime(until, v.now, v.user) + ": too many were wrong."
	}
	meant := v.in.Kind == supervisor.KindText && v.private() && containsAppCode(v.in.Text)
	if meant {
		text = "That is no code alone. " + text
	}
	at, ok := v.challengeAt()
	if !ok {
		return *v.refuse("Locked, and no code can be sent here. Send this in our private chat.")
	}
	return supervisor.GateDecision{Guard: &supervisor.Guard{IdleTimeout: v.limits.IdleTimeout, Lifetime: v.limits.Lifetime, Challenge: text, At: at, RepeatSoon: meant}}
}

// refuse answers an inbound that no code would help. It is kept with its answer, but for a press, and for what looks like a
// recovery code, alone or among other words: such a code may be good for years.
func (v *check) refuse(text string) *supervisor.GateDecision {
	if v.in.Kind == supervisor.KindPress || looksLikeRecovery(v.in.Text, v.factor) || ContainsRecovery(v.in.Text) {
		return &supervisor.GateDecision{Refused: text}
	}
	at, _ := v.challengeAt()
	return &supervisor.GateDecision{Guard: &supervisor.Guard{Challenge: text, At: at, AnswerOnly: true}}
}

// lookupFailed closes the gate because something could not be looked at.
func (v *check) lookupFailed(ctx context.Context, what string, err error) (*supervisor.GateDecision, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s of %s: %w", what, v.user.Name, context.Cause(ctx))
	}
	if v.gate.alarms.due(v.user.Name, v.now) {
		v.gate.o.AlertAdmins(v.user.Name, fmt.Sprintf("The gate of %s is closed. What was tried: to %s. What came of it: %v.", v.user.Name, what, err))
	}
	if errors.Is(err, errNoSeal) || errors.Is(err, errSealed) {
		return v.refuse(unreadableFactorText(v.user.Name)), nil
	}
	return v.refuse("Your gate is closed because Mews can't look up whether it is open. An admin can see why in the log, or with " +
		"`mews doctor`. Send this again later."), nil
}

// private says whether nobody else reads what is said where an inbound comes from. Only there a code is asked for or taken.
func (v *check) private() bool {
	c := v.in.Conversation
	can := c.Channel.Can()
	return can.Private || can.Groups && isPersonalChat(c.Chat) && c.Chat == v.in.Sender
}

func isPersonalChat(number string) bool {
	id, err := strconv.ParseInt(number, 10, 64)
	return err == nil && id > 0
}

// challengeAt is where a person is asked for a code: the zero value where the inbound came from, else their private chat. Not ok
// is that there is no such place.
func (v *check) challengeAt() (at supervisor.Conversation, ok bool) {
	c := v.in.Conversation
	if v.private() {
		return at, true
	}
	if !c.Channel.Can().Groups || !isPersonalChat(v.in.Sender) {
		return at, false
	}
	return supervisor.Conversation{User: c.User, Channel: c.Channel, Chat: v.in.Sender}, true
}
