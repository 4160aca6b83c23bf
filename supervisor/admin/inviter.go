package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// Inviter invites people for a user who asks in a chat.
type Inviter struct {
	Store         sqlite.UserAccessStores
	People        *access.People
	Configuration Configuration
	Bot           func() string // the bot's name on Telegram; "" if unknown
	Now           func() time.Time
	// KeepPicture stores a PNG picture until it is sent.
	KeepPicture func(name string, png []byte) (supervisor.File, error)
}

// CheckName returns an error for the user if a name can't be invited.
func (i Inviter) CheckName(ctx context.Context, name string) error {
	_, known := i.People.Find(name)
	switch {
	case i.People.IsSuspended(name):
		return supervisor.Errorf(supervisor.CodeForbidden, textStaysSuspended, name, name)
	case known:
		return nil
	}
	err := i.Configuration.CheckNewUser(supervisor.User{Name: name, Role: supervisor.RoleUser,
		Home: i.Configuration.Summary().HomePath(name)})
	if err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textCantInvite, name, err)
	}
	return checkUnclaimed(ctx, i.Store.People, i.Configuration.Summary(), name)
}

// Invite makes an invite for a user. It adds the user if the name is new.
func (i Inviter) Invite(ctx context.Context, name string) (made access.Invitation, err error) {
	user, known := i.People.Find(name)
	if !known {
		if err := i.Store.People.Add(ctx, supervisor.User{Name: name, Role: supervisor.RoleUser}); err != nil {
			return made, err
		}
		if err := i.Configuration.Refresh(ctx); err != nil {
			return made, i.undo(ctx, name, err)
		}
		user, _ = i.People.Find(name)
	}
	if made, err = i.invite(ctx, user, !known); err != nil && !known {
		err = i.undo(ctx, name, err)
	}
	return made, err
}

// undo removes a user who was added for an invite that could not be made.
func (i Inviter) undo(ctx context.Context, name string, err error) error {
	_, left := i.Store.People.Remove(ctx, name)
	if left == nil {
		left = i.Configuration.Refresh(ctx)
	}
	return errors.Join(err, left)
}

func (i Inviter) invite(ctx context.Context, user supervisor.User, added bool) (made access.Invitation, err error) {
	secret, digest := access.NewInviteCode()
	made = access.Invitation{Code: secret.Reveal(), Added: added, ValidFor: inviteLasts,
		Admin:  user.Role == supervisor.RoleAdmin,
		Enrols: user.Codes == supervisor.TOTPRequired, NoBotText: i.Configuration.Summary().NoBotText()}
	if bot := strings.TrimPrefix(i.Bot(), "@"); bot != "" {
		made.Link = "https://t.me/" + bot + "?start=" + made.Code
		file, err := i.picture(made.Link, user.Name)
		if err != nil {
			return made, err
		}
		made.Files = append(made.Files, file)
	}
	err = i.Store.Invites.Put(ctx, sqlite.Invite{
		Digest: digest, User: user.Name, ExpiresAt: i.Now().Add(inviteLasts), Enrol: made.Enrols,
	})
	return made, err
}

func (i Inviter) picture(link, name string) (supervisor.File, error) {
	png, err := access.QRCode(link, access.QRCodeWidth)
	if err != nil {
		return supervisor.File{}, err
	}
	return i.KeepPicture("invite-"+name+".png", png)
}
