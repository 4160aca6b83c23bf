package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/backup"
	"mews/supervisor/sqlite"
)

// InviteRequest are the parameters of user.invite.
type InviteRequest struct {
	User   string `json:"user"`
	Enrol  bool   `json:"enrol,omitempty"` // the invite also lets the user make a second factor in the chat
	Revoke bool   `json:"revoke,omitempty"`
	// Minutes is how long the code is valid; 0 means a day, which is also the longest.
	Minutes int `json:"minutes,omitempty"`
}

// InviteResult is an invite with its code, which is shown once.
type InviteResult struct {
	Code    string    `json:"code,omitempty"`
	Link    string    `json:"link,omitempty"` // link to the bot with the code; "" if the bot's name is not known
	Expires time.Time `json:"expires,omitzero"`
	Enrol   bool      `json:"enrol,omitempty"`
	Revoked int64     `json:"revoked,omitempty"`
	Added   string    `json:"added,omitempty"` // says that the user was added; "" for an existing user
	Admin   bool      `json:"admin,omitempty"` // the invited user is an admin
	// NoBotText says why there is no bot, and what to do.
	NoBotText string `json:"botless,omitempty"`
}

// inviteLasts is how long the code of an invite is valid.
const inviteLasts = 24 * time.Hour

// validFor returns how long the code of a request is valid.
func (q InviteRequest) validFor() time.Duration {
	if q.Minutes <= 0 {
		return inviteLasts
	}
	return min(time.Duration(q.Minutes)*time.Minute, inviteLasts)
}

// Invite makes a one-time code for a user, or revokes the user's unused codes. The code binds an
// account on Telegram to the user. If the name is new, Invite first adds the user.
func (o *Service) Invite(ctx context.Context, by Caller, q InviteRequest) (InviteResult, error) {
	if _, known := o.People.Find(q.User); q.User == "" || known || q.Revoke {
		return o.invite(ctx, by, q)
	}
	role := string(supervisor.RoleUser)
	if _, err := o.AddPerson(ctx, by, AddUserRequest{Name: q.User, Role: role}); err != nil {
		return InviteResult{}, err
	}
	added := fmt.Sprintf(textAdded, q.User, role, o.Configuration.Summary().HomePath(q.User))
	made, err := o.invite(ctx, by, q)
	if made.Added = added; err != nil {
		return InviteResult{}, supervisor.Errorf(supervisor.ErrorCodeOf(err), textAddedNotInvited, added, err)
	}
	return made, nil
}

func (o *Service) invite(ctx context.Context, by Caller, q InviteRequest) (InviteResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return InviteResult{}, err
	}
	if q.Revoke {
		n, err := o.Store.Invites.Revoke(ctx, u.Name,
			auditEntry(by, u.Name, "invite.revoked", "all that nobody had used"))
		if err == nil {
			o.acted(backup.ActRevoked, u.Name, "invite")
		}
		return InviteResult{Revoked: n}, err
	}
	if o.People.IsSuspended(u.Name) {
		return InviteResult{}, supervisor.Errorf(supervisor.CodeInvalid, textInviteSuspended, u.Name, u.Name)
	}
	code, digest := access.NewInviteCode()
	made := InviteResult{Code: code.Reveal(), Expires: o.Now().Add(q.validFor()),
		NoBotText: o.Configuration.Summary().NoBotText(),
		Admin:     u.Role == supervisor.RoleAdmin,
		Enrol:     q.Enrol && u.Codes != supervisor.TOTPOff && o.Seal != nil}
	err = o.Store.Invites.Put(ctx, sqlite.Invite{Digest: digest, User: u.Name, ExpiresAt: made.Expires, Enrol: made.Enrol},
		auditEntry(by, u.Name, "invite.made", "good until "+made.Expires.UTC().Format(time.RFC3339)))
	if err != nil {
		return InviteResult{}, err
	}
	if name := strings.TrimPrefix(o.Bot(), "@"); name != "" {
		made.Link = "https://t.me/" + name + "?start=" + made.Code
	}
	return made, nil
}
