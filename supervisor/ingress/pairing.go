package ingress

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/internal/rare"
	"mews/supervisor/slash"
)

// pairing binds an account to a person who has an invite's code: /start CODE, or the link that says
// so. It also offers a second factor in their private chat, where their invite allows one.
type pairing struct {
	o          *Options
	wrongCodes *rare.Window // that were noted, by sender and update
	guessers   rare.Window  // of whom no more wrong codes are noted today
	repeats    *rare.Window // codes of people who are let in already, by sender and update
}

// How many wrong codes are noted in an hour, of one sender and of all. A code has 128 bits and
// can't be guessed, so every one is looked up, whoever sends it and whatever others have tried
// before; these bounds only keep the log quiet. Somebody mistypes a code once or twice; the second
// bound is six of those who do their worst.
const (
	maxFailuresOfSender = 5
	maxFailures         = 30
)

// inviteFailures are codes by their senders and the updates that brought them. An update that comes
// again, because what came of it could not be kept, is counted once.
func inviteFailures() *rare.Window {
	return &rare.Window{Length: time.Hour, Most: maxFailures, Each: maxFailuresOfSender}
}

// redeem takes an invite's code, if in is one, and replaces in's text by a plain /start, which may
// be kept. invited says that there was a code, right or wrong.
func (p *pairing) redeem(ctx context.Context, in *supervisor.Incoming) (invited bool, err error) {
	name, code := slash.Parse(strings.TrimSpace(in.Text))
	if in.Kind != supervisor.IncomingMessage || in.Group || name != "start" || code == "" {
		return false, nil
	}
	in.Text, in.Raw = "/start", redacted(in.Update)
	invite, err := p.o.Access.Invites.Redeem(ctx, access.DigestInvite(code), in.Channel, in.Sender, p.o.People.Owner(in.Channel, in.Sender))
	switch supervisor.ErrorCode(err) {
	case "":
	case supervisor.CodeNotFound, supervisor.CodeForbidden:
		return true, p.refused(ctx, in, err)
	default:
		return true, fmt.Errorf("take an invite of %s: %w", in.Sender, err)
	}
	if err := p.o.Refresh(ctx); err != nil {
		return true, fmt.Errorf("let in %s: %w", invite.User, err)
	}
	user, _ := p.o.People.Find(invite.User)
	return true, p.offer(ctx, user, in)
}

// refused goes on with somebody whose code was not taken. It may have been taken just before a
// crash, or before people could not be read anew.
func (p *pairing) refused(ctx context.Context, in *supervisor.Incoming, why error) error {
	if err := p.refreshBound(ctx, in); err != nil {
		return err
	}
	user, known := p.o.People.ByAccount(in.Channel, in.Sender)
	switch {
	case supervisor.ErrorCode(why) == supervisor.CodeForbidden:
		p.noteWrong(in, "had a code for another person than whose account it is")
	case !known:
		p.noteWrong(in, "had a code that is not good")
	}
	if !known || !p.repeats.Note(in.Sender, in.Update, time.Now()) {
		return nil
	}
	return p.offer(ctx, user, in)
}

// refreshBound reads people anew where the sender's account is bound to somebody and People do not
// know it yet.
func (p *pairing) refreshBound(ctx context.Context, in *supervisor.Incoming) error {
	if p.o.People.Owner(in.Channel, in.Sender) != "" {
		return nil
	}
	user, err := p.o.Access.Bindings.Find(ctx, in.Channel, in.Sender)
	if err != nil || user == "" {
		return err
	}
	if _, there := p.o.People.Find(user); !there {
		return nil // the binding was left by somebody who is no user any more
	}
	if err := p.o.Refresh(ctx); err != nil {
		return fmt.Errorf("let in %s: %w", user, err)
	}
	return nil
}

// noteWrong notes a code that let nobody in. Of somebody who sends many of them it is noted once a
// day that they do.
func (p *pairing) noteWrong(in *supervisor.Incoming, why string) {
	switch now := time.Now(); {
	case p.wrongCodes.Note(in.Sender, in.Update, now):
		p.o.Audit("", "invite.refused", fmt.Sprintf("%s %s", in.Sender, why))
	case p.guessers.First(in.Sender, now):
		p.o.Audit("", "invite.refused", fmt.Sprintf("%s %s; there are many wrong codes in this hour, and no more of theirs are noted", in.Sender, why))
	}
}

// redacted takes the place of an update of which no word may be kept.
func redacted(update int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"update_id":%d,"redacted":true}`, update))
}

// offer offers a second factor to somebody who has been let in, where they may make one.
func (p *pairing) offer(ctx context.Context, user supervisor.User, in *supervisor.Incoming) error {
	if p.o.People.Suspended(user.Name) {
		return nil // nothing is taken from them
	}
	may, err := p.o.Access.Invites.MayEnrol(ctx, user.Name)
	if err != nil || !may || user.Codes == supervisor.CodesOff || p.o.Seal == nil {
		return err
	}
	c, err := p.o.Conversations.Find(ctx, user.Name, in.Channel, in.Chat, in.Thread)
	if err != nil {
		return err
	}
	return p.enrol(ctx, user, c)
}

// secretLifetime is how long a message that shows a secret stands. textFactor names it.
const secretLifetime = 10 * time.Minute

// enrol makes a second factor for a person, and shows it to them for a while. It counts once they
// have sent a code of it.
func (p *pairing) enrol(ctx context.Context, user supervisor.User, c supervisor.Conversation) error {
	made, err := p.o.Seal.Enrol(user.Name)
	if err != nil {
		return err
	}
	codes, digests := access.NewRecovery()
	if err := p.o.Access.Factors.Put(ctx, user.Name, made.Sealed, digests); err != nil {
		return fmt.Errorf("enrol %s: %w", user.Name, err)
	}
	png, err := access.QRCode(made.URL.Reveal(), access.QRCodeWidth)
	if err != nil {
		return err
	}
	picture, err := p.o.KeepPicture("mews-totp.png", png)
	if err != nil {
		return err
	}
	_, err = p.o.Outbox.Say(ctx, supervisor.Delivery{
		Conversation: c, Kind: supervisor.DeliveryNotice, Files: []supervisor.File{picture}, DeleteAfter: secretLifetime,
		Text: fmt.Sprintf(textFactor, factorStatus(user.Codes), made.Secret.Reveal(), strings.Join(access.RevealAll(codes), "\n")),
	})
	if err == nil {
		p.o.Audit(user.Name, "totp.offered", "in "+string(c.Channel)+" chat "+c.Chat)
		p.o.Queued(c.ID)
	}
	return err
}

// factorStatus says what a second factor that was just made is to a person: a condition, or their
// choice.
func factorStatus(codes supervisor.Codes) string {
	if codes == supervisor.CodesRequired {
		return textFactorRequired
	}
	return textFactorOptional
}
