package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// pairing lets in who has an invite's code: /start CODE, or the link that says so, binds an account to a person. It also
// has people make a second factor in their private chat, where an invite of theirs lets them.
type pairing struct {
	people        *access.People
	refresh       func(context.Context) error // people are to be read anew
	store         sqlite.Access
	conversations sqlite.Conversations
	outbox        sqlite.Outbox
	spool         *spool.Spool
	seal          *access.Seal
	knocks        access.InviteFailures    // wrong codes
	hasty         access.UnknownSenders    // of whose codes no more were noted
	again         access.InviteFailures    // codes of those who are let in already
	said          func(conversation int64) // there is something in its outbox
	audit         func(user, action, detail string)
}

// meet takes an invite's code, if a letter is one, and leaves of the letter what may be kept: a plain /start. invited says
// that somebody unknown had a code, right or wrong.
func (p *pairing) meet(ctx context.Context, l *supervisor.Incoming) (invited bool, err error) {
	name, code := supervisor.ParseSlashCommand(strings.TrimSpace(l.Text))
	if l.Kind != supervisor.IncomingMessage || l.Group || name != "start" || code == "" {
		return false, nil
	}
	l.Text, l.Raw = "/start", redacted(l.Update)
	invite, err := p.store.Invites.Redeem(ctx, access.DigestInvite(code), l.Channel, l.Sender, p.people.Owner(l.Channel, l.Sender))
	switch supervisor.ErrorCode(err) {
	case "":
	case supervisor.CodeNotFound, supervisor.CodeForbidden:
		return true, p.refused(ctx, l, err)
	default:
		return true, fmt.Errorf("take an invite of %s: %w", l.Sender, err)
	}
	if err := p.refresh(ctx); err != nil {
		return true, fmt.Errorf("let in %s: %w", invite.User, err)
	}
	user, _ := p.people.Find(invite.User)
	return true, p.resume(ctx, user, l)
}

// refused goes on with somebody whose code was not taken, perhaps because it was taken just before a crash, or before people
// could not be read anew.
func (p *pairing) refused(ctx context.Context, l *supervisor.Incoming, why error) error {
	if err := p.catchUp(ctx, l); err != nil {
		return err
	}
	user, known := p.people.ByAccount(l.Channel, l.Sender)
	switch {
	case supervisor.ErrorCode(why) == supervisor.CodeForbidden:
		p.wrong(l, "had a code for another person than whose account it is")
	case !known:
		p.wrong(l, "had a code that is not good")
	}
	if !known || !p.again.Note(l.Sender, l.Update, time.Now()) {
		return nil
	}
	return p.resume(ctx, user, l)
}

// catchUp reads people anew where an account was bound to somebody and they do not know it.
func (p *pairing) catchUp(ctx context.Context, l *supervisor.Incoming) error {
	if p.people.Owner(l.Channel, l.Sender) != "" {
		return nil
	}
	user, err := p.store.Bindings.Find(ctx, l.Channel, l.Sender)
	if err != nil || user == "" {
		return err
	}
	if _, there := p.people.Find(user); !there {
		return nil // what was left of somebody who is no user any more
	}
	if err := p.refresh(ctx); err != nil {
		return fmt.Errorf("let in %s: %w", user, err)
	}
	return nil
}

// wrong notes a code that let nobody in. Of somebody who sends many it is noted once a day that they do.
func (p *pairing) wrong(l *supervisor.Incoming, why string) {
	switch now := time.Now(); {
	case p.knocks.Note(l.Sender, l.Update, now):
		p.audit("", "invite.refused", fmt.Sprintf("%s %s", l.Sender, why))
	case p.hasty.First(l.Sender, now):
		p.audit("", "invite.refused", fmt.Sprintf("%s %s; there are many wrong codes in this hour, and no more of theirs are noted", l.Sender, why))
	}
}

// redacted stands for an update of which no word is kept.
func redacted(update int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"update_id":%d,"redacted":true}`, update))
}

// resume goes on with somebody who has been let in: who is to make a second factor is shown how.
func (p *pairing) resume(ctx context.Context, user supervisor.User, l *supervisor.Incoming) error {
	if p.people.Suspended(user.Name) {
		return nil // there is nothing to be set up for whom nothing is taken of
	}
	may, err := p.store.Invites.MayEnrol(ctx, user.Name)
	if err != nil || !may || user.Codes == supervisor.CodesOff || p.seal == nil {
		return err
	}
	c, err := p.conversations.Find(ctx, user.Name, l.Channel, l.Chat, l.Thread)
	if err != nil {
		return err
	}
	return p.enrol(ctx, user, c)
}

// secretStands is how long a message stands that holds a secret.
const secretStands = 10 * time.Minute

// enrol makes a second factor for a person, and shows it to them for a while. It counts once they have sent a code of it.
func (p *pairing) enrol(ctx context.Context, user supervisor.User, c supervisor.Conversation) error {
	made, err := p.seal.Enrol(user.Name)
	if err != nil {
		return err
	}
	codes, digests := access.NewRecovery()
	if err := p.store.Factors.Put(ctx, user.Name, made.Sealed, digests); err != nil {
		return fmt.Errorf("enrol %s: %w", user.Name, err)
	}
	picture, err := p.picture(made)
	if err != nil {
		return err
	}
	text := offered(user.Codes) + " Scan the picture below with an authenticator app, or type this secret into " +
		"it: `" + made.Secret.Reveal() + "`\n\nKeep these recovery codes where you do not lose them; each opens the chat once, without " +
		"the app:\n```\n" + strings.Join(reveal(codes), "\n") + "\n```\nThen send me the six digits that the app shows. This message " +
		"and the picture go away in ten minutes."
	_, err = p.outbox.Say(ctx, supervisor.Delivery{Conversation: c, Kind: supervisor.DeliveryNotice, Text: text,
		Files: []supervisor.File{picture}, DeleteAfter: secretStands})
	if err == nil {
		p.audit(user.Name, "totp.offered", "in "+string(c.Channel)+" chat "+c.Chat)
		p.said(c.ID)
	}
	return err
}

// offered says of a second factor that was just made what it is to a person: a condition, or a choice of theirs.
func offered(codes supervisor.Codes) string {
	if codes == supervisor.CodesRequired {
		return "Your chat is locked by a second factor."
	}
	return "Your chat can be locked by a second factor. It is not locked yet: from the first code on that you send me it is, and if " +
		"you want none, leave this and go on writing."
}

func reveal(codes []access.Secret) []string {
	var plain []string
	for _, c := range codes {
		plain = append(plain, c.Reveal())
	}
	return plain
}

// pictureWidth is how wide the picture of a second factor is, in pixels.
const pictureWidth = 480

func (p *pairing) picture(made access.Enrolment) (supervisor.File, error) {
	png, err := access.QRCode(made.URL.Reveal(), pictureWidth)
	if err != nil {
		return supervisor.File{}, err
	}
	ref, err := keepBytes(p.spool, png)
	return supervisor.File{SHA256: ref.SHA256, Size: ref.Size, Name: "mews-totp.png", MediaType: "image/png"}, err
}

// keepBytes puts bytes into the spool.
func keepBytes(s *spool.Spool, b []byte) (protocol.BlobRef, error) {
	f, err := s.Create()
	if err != nil {
		return protocol.BlobRef{}, err
	}
	if _, err := bytes.NewReader(b).WriteTo(f); err != nil {
		return protocol.BlobRef{}, fmt.Errorf("keep a picture: %w", errors.Join(err, f.Discard()))
	}
	return f.Commit()
}
