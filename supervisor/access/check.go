package access

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/slash"
)

// check holds the data of one inbound while the gate decides on it.
type check struct {
	gate    *Gate
	in      supervisor.Inbound
	command supervisor.SlashCommand // the slash command in the inbound; the zero value means none
	user    supervisor.User
	now     time.Time
	limits  GateLimits
	factor  supervisor.SecondFactor // the user's second factor, set by findFactor
}

// checkOrder holds the parts of a check. Each part decides on the inbound, or returns nil and
// leaves the decision to the next part. If no part decides, guard does.
var checkOrder = []func(*check, context.Context) (*supervisor.GateDecision, error){
	(*check).urgentCommand, (*check).rateLimited, (*check).exempt, (*check).findFactor, (*check).withoutFactor,
	(*check).unreadableFactor, (*check).recoveryCode, (*check).anyCode, (*check).recoveryAmongWords, (*check).pressedWhileClosed,
}

// urgentCommand lets urgent commands through without a code and without a rate limit. A user needs
// these commands at once if somebody else uses their account.
func (c *check) urgentCommand(context.Context) (*supervisor.GateDecision, error) {
	if !c.command.Urgent || !c.command.OpenWhileLocked {
		return nil, nil
	}
	return &supervisor.GateDecision{Lock: c.command.Locks[strings.ToLower(slash.ParseArguments(c.in.Text))]}, nil
}

// rateLimited refuses an inbound if its user sends too fast.
func (c *check) rateLimited(context.Context) (*supervisor.GateDecision, error) {
	texts := c.in.Kind == supervisor.KindText
	result, unanswered := c.gate.rates.take(bucketKey{c.user.Name, texts}, messageKey{c.in.Source, c.in.Key}, c.now, c.limits)
	if result == rateTaken {
		return nil, nil
	}
	refused := fmt.Sprintf(textTooFast, c.limits.Burst, c.limits.PerSecond)
	if texts && c.limits.Waiting > 0 {
		refused = fmt.Sprintf(textTooManyWaiting, c.limits.Waiting)
		if unanswered > 0 {
			refused += fmt.Sprintf(textAlsoRefused, amount.Plural(unanswered, "message", "messages"))
		}
		if result == rateRefusedLast {
			refused += textNextRefused
		}
	}
	return &supervisor.GateDecision{Refusal: refused, AlreadyTold: result == rateRefusedQuietly, Code: supervisor.CodeUnavailable}, nil
}

// exempt lets an inbound through that needs no code.
func (c *check) exempt(context.Context) (*supervisor.GateDecision, error) {
	if c.command.OpenWhileLocked || c.user.Codes == supervisor.TOTPOff {
		return &supervisor.GateDecision{}, nil
	}
	return nil, nil
}

func (c *check) findFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	f, known, err := c.gate.o.Factors.Find(ctx, c.user.Name)
	if err != nil {
		return c.lookupFailed(ctx, "find their second factor", err)
	}
	if known {
		c.factor = f
	}
	return nil, nil
}

// withoutFactor decides on every inbound of a user without a confirmed second factor.
func (c *check) withoutFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	enrolling := len(c.factor.Secret) > 0
	switch {
	case c.factor.Confirmed:
		return nil, nil
	case c.isUnusedRecovery(): // a recovery code becomes valid once the factor is confirmed
		return c.decideRecovery(), nil
	case enrolling && c.in.Kind == supervisor.KindText && c.private() && appCode(c.in.Text) != "":
		if d, err := c.unreadableFactor(ctx); d != nil || err != nil {
			return d, err
		}
		return c.decideLogin(), nil
	case codesOptional(c.user):
		return &supervisor.GateDecision{}, nil
	case enrolling:
		return c.refuse(textEnrolling), nil
	}
	return c.refuse(fmt.Sprintf(textNoFactor, c.user.Name)), nil
}

// unreadableFactor decides on every inbound of a user whose factor can't be read. Codes get the
// same answer as other inbounds. The text of a code is not stored. The code stays valid unless
// other people can read the chat.
func (c *check) unreadableFactor(ctx context.Context) (*supervisor.GateDecision, error) {
	_, err := c.gate.o.Seal.Open(c.user.Name, c.factor.Secret)
	if err == nil {
		return nil, nil
	}
	d, err := c.lookupFailed(ctx, "read their second factor", err)
	switch {
	case err != nil || c.in.Kind != supervisor.KindText:
	case c.private() && (appCode(c.in.Text) != "" || looksLikeRecovery(c.in.Text, c.factor)):
		d = &supervisor.GateDecision{CheckCode: decideUnreadable(c.user.Name)}
	case c.isUnusedRecovery():
		d = &supervisor.GateDecision{CheckCode: decideExposedRecovery(c.in.Text)}
	}
	return d, err
}

// recoveryCode decides on an unused recovery code, in any chat. The code is used up, and its text
// is not stored.
func (c *check) recoveryCode(ctx context.Context) (*supervisor.GateDecision, error) {
	if !c.isUnusedRecovery() {
		return nil, nil
	}
	d := c.decideRecovery()
	if c.private() {
		if open, err := c.loggedIn(ctx); open && err == nil {
			d.Check = c.guard().Check
		}
	}
	return d, nil
}

// isUnusedRecovery says whether the inbound is an unused recovery code. Codes of an unconfirmed
// factor count too.
func (c *check) isUnusedRecovery() bool {
	return c.in.Kind == supervisor.KindText && isUnusedRecovery(c.in.Text, c.factor)
}

// decideRecovery uses up a recovery code. The code opens nothing if other people can read the chat.
func (c *check) decideRecovery() *supervisor.GateDecision {
	if !c.private() {
		return &supervisor.GateDecision{CheckCode: decideExposedRecovery(c.in.Text)}
	}
	return c.decideLogin()
}

// anyCode decides on a text that looks like a code, in a private chat that needs a code. A chat
// needs a code if its gate is closed. It also needs a code while a held group message waits for a
// code from this chat. In other chats six digits count as words, unless the gate closes before the
// text is stored.
func (c *check) anyCode(ctx context.Context) (*supervisor.GateDecision, error) {
	if c.in.Kind != supervisor.KindText || !c.private() || appCode(c.in.Text) == "" && !looksLikeRecovery(c.in.Text, c.factor) {
		return nil, nil
	}
	closed, d, err := c.closed(ctx)
	switch {
	case d != nil || err != nil:
		return d, err
	case closed:
		return c.decideLogin(), nil
	}
	switch held, err := c.gate.o.Held(ctx, c.in.Conversation); {
	case err != nil:
		return c.lookupFailed(ctx, "find what waits for a code", err)
	case held == 0:
		d := c.guard()
		d.Check.CheckCode = c.decideLogin().CheckCode
		return d, nil
	}
	return c.decideLogin(), nil
}

// recoveryAmongWords refuses a recovery code among other words while the gate is closed. A held
// message is passed on once the gate is open, and the code in it would stay valid.
func (c *check) recoveryAmongWords(ctx context.Context) (*supervisor.GateDecision, error) {
	if c.in.Kind == supervisor.KindPress || !ContainsRecoveryCode(c.in.Text) {
		return nil, nil
	}
	if closed, d, err := c.closed(ctx); !closed {
		return d, err
	}
	return &supervisor.GateDecision{Refusal: textRecoveryAmongWords}, nil
}

// pressedWhileClosed refuses a press while the gate is closed. A press is not stored for later,
// because its button may mean something else once the gate opens.
func (c *check) pressedWhileClosed(ctx context.Context) (*supervisor.GateDecision, error) {
	if c.in.Kind != supervisor.KindPress {
		return nil, nil
	}
	if closed, d, err := c.closed(ctx); !closed {
		return d, err
	}
	if !c.private() {
		return &supervisor.GateDecision{Refusal: textPressLockedElsewhere}, nil
	}
	return &supervisor.GateDecision{Refusal: textPressLocked}, nil
}

func (c *check) decideLogin() *supervisor.GateDecision {
	return &supervisor.GateDecision{CheckCode: c.gate.DecideLogin(c.user.Name, c.in.Text)}
}

// closed says whether the gate is closed. If the login can't be read, closed returns false and a
// decision or an error.
func (c *check) closed(ctx context.Context) (bool, *supervisor.GateDecision, error) {
	open, err := c.loggedIn(ctx)
	if err != nil {
		d, err := c.lookupFailed(ctx, "find where they are logged in", err)
		return false, d, err
	}
	return !open, nil, nil
}

func (c *check) loggedIn(ctx context.Context) (bool, error) {
	at := c.in.Conversation
	l, known, err := c.gate.o.Logins.FindLogin(ctx, c.user.Name, at.Channel, at.Chat)
	return known && l.IsOpen(c.now, c.limits.IdleTimeout, c.limits.Lifetime), err
}

// guard makes an inbound wait for a code if the gate is closed when the inbound is stored.
func (c *check) guard() *supervisor.GateDecision {
	text := textLocked
	if !c.private() {
		text = textLockedElsewhere
	}
	if until := lockedUntil(c.factor, c.now); c.now.Before(until) {
		text += fmt.Sprintf(textLockedOut, formatTime(until, c.now, c.user))
	}
	meantAsCode := c.in.Kind == supervisor.KindText && c.private() && containsAppCode(c.in.Text)
	if meantAsCode {
		text = textSendCodeAlone + text
	}
	at, ok := c.challengeAt()
	if !ok {
		return c.refuse(textLockedNoChat)
	}
	return &supervisor.GateDecision{Check: &supervisor.GateCheck{IdleTimeout: c.limits.IdleTimeout, Lifetime: c.limits.Lifetime,
		Challenge: text, ChallengeIn: at, RepeatSoon: meantAsCode}}
}

// refuse answers an inbound that no code would let through. The inbound is stored with its answer.
// Presses are not stored. Texts that contain or resemble a recovery code are not stored either:
// such a code may be valid for years.
func (c *check) refuse(text string) *supervisor.GateDecision {
	if c.in.Kind == supervisor.KindPress || looksLikeRecovery(c.in.Text, c.factor) || ContainsRecoveryCode(c.in.Text) {
		return &supervisor.GateDecision{Refusal: text}
	}
	at, _ := c.challengeAt()
	return &supervisor.GateDecision{Check: &supervisor.GateCheck{Challenge: text, ChallengeIn: at, AnswerOnly: true}}
}

// lookupFailed keeps the gate closed because a factor or a login can't be read.
func (c *check) lookupFailed(ctx context.Context, attempt string, err error) (*supervisor.GateDecision, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s of %s: %w", attempt, c.user.Name, context.Cause(ctx))
	}
	if c.gate.alerts.ShouldReport(c.user.Name, c.now) {
		c.gate.o.AlertAdmins(c.user.Name, fmt.Sprintf(textGateAlert, c.user.Name, attempt, err))
	}
	if errors.Is(err, errNoSeal) || errors.Is(err, errSealed) {
		return c.refuse(fmt.Sprintf(textUnreadableFactor, c.user.Name)), nil
	}
	return c.refuse(textLookupFailed), nil
}

// private says whether the user is the only reader of the inbound's chat. Only in such a chat are
// codes asked for and accepted.
func (c *check) private() bool {
	at := c.in.Conversation
	can := at.Channel.Capabilities()
	return can.Private || can.NeedsAccount && isAccountNumber(at.Chat) && at.Chat == c.in.Sender
}

// isAccountNumber says whether a name is the number of a user's account on Telegram. A private chat
// has the number of its user. The Bot API gives groups numbers below 0.
func isAccountNumber(name string) bool {
	id, err := strconv.ParseInt(name, 10, 64)
	return err == nil && id > 0 && strconv.FormatInt(id, 10) == name
}

// challengeAt returns the chat in which the user is asked for a code. The zero value means the
// inbound's own chat; otherwise it is the user's private chat. ok is false if the user has no
// private chat.
func (c *check) challengeAt() (at supervisor.Conversation, ok bool) {
	from := c.in.Conversation
	switch {
	case c.private():
		return at, true
	case !from.Channel.Capabilities().NeedsAccount || !isAccountNumber(c.in.Sender):
		return at, false
	}
	return supervisor.Conversation{User: from.User, Channel: from.Channel, Chat: c.in.Sender}, true
}
