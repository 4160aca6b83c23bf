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

// pairing binds an account to a user by an invite's code: /start CODE, or a link with the code. In
// a private chat it also offers a second factor if the invite allows one.
type pairing struct {
	o          *Options
	wrongCodes *rare.RecordLimiter // the audited wrong codes, by sender and update
	guessers   rare.RecordLimiter  // senders whose further wrong codes are not audited today
	repeats    *rare.RecordLimiter // codes of users who are already admitted, by sender and update
}

// Limits of audited wrong codes in an hour: of one sender, and of all senders. A code has 128 bits
// and can't be guessed, so every code is looked up. These limits only keep the audit log short.
// Users mistype a code once or twice. The limit of all senders is six times the limit of one
// sender.
const (
	maxFailuresOfSender = 5
	maxFailures         = 30
)

// inviteFailures makes a limiter that counts wrong codes by sender and update. A repeated update is
// counted once.
func inviteFailures() *rare.RecordLimiter {
	return &rare.RecordLimiter{Length: time.Hour, MaxTotal: maxFailures, MaxPerKey: maxFailuresOfSender}
}

// redeem redeems the invite's code in a message, if there is one. It then replaces the text by a
// plain /start, which may be stored. The result invited reports whether there was a code, valid or
// not.
func (p *pairing) redeem(ctx context.Context, in *supervisor.Incoming) (invited bool, err error) {
	name, code := slash.Parse(strings.TrimSpace(in.Text))
	if in.Kind != supervisor.IncomingMessage || in.Group || name != "start" || code == "" {
		return false, nil
	}
	in.Text, in.Raw = "/start", redacted(in.Update)
	invite, err := p.o.Access.Invites.Redeem(ctx, access.DigestInviteCode(code), in.Channel, in.Sender,
		p.o.People.AccountOwner(in.Channel, in.Sender))
	switch supervisor.ErrorCodeOf(err) {
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
	p.o.Joined(user, in.Channel, in.Sender)
	return true, p.offer(ctx, user, in)
}

// refused handles a refused code. The code may have been accepted just before a crash, or before
// users could be read again.
func (p *pairing) refused(ctx context.Context, in *supervisor.Incoming, why error) error {
	if err := p.refreshBound(ctx, in); err != nil {
		return err
	}
	user, known := p.o.People.FindByAccount(in.Channel, in.Sender)
	switch {
	case supervisor.ErrorCodeOf(why) == supervisor.CodeForbidden:
		p.noteWrong(in, "had a code for another person than whose account it is")
	case !known:
		p.noteWrong(in, "had a code that is not good")
	}
	if !known || !p.repeats.MayRecord(in.Sender, in.Update, time.Now()) {
		return nil
	}
	return p.offer(ctx, user, in)
}

// refreshBound reads users again if the sender's account is bound to a user whom People does not
// know yet.
func (p *pairing) refreshBound(ctx context.Context, in *supervisor.Incoming) error {
	if p.o.People.AccountOwner(in.Channel, in.Sender) != "" {
		return nil
	}
	user, err := p.o.Access.Bindings.FindUser(ctx, in.Channel, in.Sender)
	if err != nil || user == "" {
		return err
	}
	if _, there := p.o.People.Find(user); !there {
		return nil // the binding belongs to a deleted user
	}
	if err := p.o.Refresh(ctx); err != nil {
		return fmt.Errorf("let in %s: %w", user, err)
	}
	return nil
}

// noteWrong audits a wrong code. If a sender sends many wrong codes, a single row a day says so.
func (p *pairing) noteWrong(in *supervisor.Incoming, why string) {
	switch now := time.Now(); {
	case p.wrongCodes.MayRecord(in.Sender, in.Update, now):
		p.o.Audit("", "invite.refused", fmt.Sprintf("%s %s", in.Sender, why))
	case p.guessers.IsNewKey(in.Sender, now):
		p.o.Audit("", "invite.refused", fmt.Sprintf("%s %s; there are many wrong codes in this hour, and no more of theirs are noted", in.Sender, why))
	}
}

// redacted returns a substitute for an update that must not be stored.
func redacted(update int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"update_id":%d,"redacted":true}`, update))
}

// offer offers a second factor to an admitted user who may have one.
func (p *pairing) offer(ctx context.Context, user supervisor.User, in *supervisor.Incoming) error {
	if p.o.People.IsSuspended(user.Name) {
		return nil // a suspended user gets no offer
	}
	may, err := p.o.Access.Invites.MayEnrolFactor(ctx, user.Name)
	if err != nil || !may || user.Codes == supervisor.TOTPOff || p.o.Seal == nil {
		return err
	}
	c, err := p.o.Conversations.FindOrCreate(ctx, user.Name, in.Channel, in.Chat, in.Thread)
	if err != nil {
		return err
	}
	return p.enrol(ctx, user, c)
}

// secretLifetime is how long a message with a secret stays. textFactor gives the same time.
const secretLifetime = 10 * time.Minute

// enrol makes a second factor for a user, and shows it for secretLifetime. The factor becomes
// active with its first code.
func (p *pairing) enrol(ctx context.Context, user supervisor.User, c supervisor.Conversation) error {
	made, err := p.o.Seal.NewEnrolment(user.Name)
	if err != nil {
		return err
	}
	codes, digests := access.NewRecoveryCodes()
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
	_, err = p.o.Outbox.SendNotice(ctx, supervisor.Delivery{
		Conversation: c, Kind: supervisor.DeliveryNotice, Files: []supervisor.File{picture}, DeleteAfter: secretLifetime,
		Text: fmt.Sprintf(textFactor, factorStatus(user.Codes), made.Secret.Reveal(),
			strings.Join(access.RevealSecrets(codes), "\n")),
	})
	if err == nil {
		p.o.Audit(user.Name, "totp.offered", "in "+string(c.Channel)+" chat "+c.Chat)
		p.o.Queued(c.ID)
	}
	return err
}

// factorStatus says whether a new second factor is required or optional.
func factorStatus(codes supervisor.TOTPPolicy) string {
	if codes == supervisor.TOTPRequired {
		return textFactorRequired
	}
	return textFactorOptional
}
