package admin

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// AddUserRequest are the parameters of user.add.
type AddUserRequest struct {
	Name     string `json:"name"`
	Role     string `json:"role"`
	Account  string `json:"account,omitempty"`
	Timezone string `json:"timezone,omitempty"`
	// Again means that a former user of this name returns, and gets the stored data back.
	Again bool `json:"again,omitempty"`
}

// TextResult is the answer to a call, as a text for people.
type TextResult struct {
	Text string `json:"text"`
}

// AddPerson adds a user with a folder below the state folder. The name must be new, unless the
// former user of that name returns.
func (o *Service) AddPerson(ctx context.Context, by Caller, q AddUserRequest) (TextResult, error) {
	facts := o.Configuration.Summary()
	u := supervisor.User{Name: q.Name, Role: supervisor.Role(q.Role), Account: q.Account, Timezone: q.Timezone,
		Home: facts.HomePath(q.Name)}
	if err := o.Configuration.CheckNewUser(u); err != nil {
		return TextResult{}, supervisor.Errorf(supervisor.CodeInvalid, textCantBeAdded, err)
	}
	if err := o.checkAccountIsFree(q.Account); err != nil {
		return TextResult{}, err
	}
	if err := o.checkNameIsFree(ctx, q); err != nil {
		return TextResult{}, err
	}
	as := "as " + q.Role
	if q.Again {
		as += ", with what was kept of them"
	}
	if err := o.Store.People.Add(ctx, u, auditEntry(by, q.Name, "user.added", as)); err != nil {
		return TextResult{}, err
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		_, undo := o.Store.People.Remove(ctx, q.Name, auditEntry(by, q.Name, "user.removed", "it could not be used, as added"))
		if undo != nil {
			return TextResult{}, fmt.Errorf("%w; and the user could not be removed again: %w", err, undo)
		}
		return TextResult{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAdded, q.Name, err)
	}
	return TextResult{addedText(facts, q)}, nil
}

// addedText says which user was added, with which role and folder, and how the user can talk.
func addedText(facts ConfigurationSummary, q AddUserRequest) string {
	home := facts.HomePath(q.Name)
	text := fmt.Sprintf(textAdded, q.Name, q.Role, home)
	if q.Again {
		text = fmt.Sprintf(textAddedAgain, q.Name, q.Role, home)
	}
	if why := facts.NoBotText(); why != "" {
		return text + " " + why + fmt.Sprintf(textThenInvite, q.Name)
	}
	return text + fmt.Sprintf(textInviteThem, q.Name)
}

// NoBotText says why there is no bot and what to do; "" means that there is a bot.
func (f ConfigurationSummary) NoBotText() string {
	if f.HasBot {
		return ""
	}
	return textNoBot
}

// checkNameIsFree refuses a name with stored data. If q.Again is set, it refuses a name without
// stored data.
func (o *Service) checkNameIsFree(ctx context.Context, q AddUserRequest) error {
	if _, known := o.People.Find(q.Name); known {
		return nil // adding an existing user fails later anyway
	}
	err := checkUnclaimed(ctx, o.Store.People, o.Configuration.Summary(), q.Name)
	switch {
	case !q.Again:
		return err
	case err == nil:
		return supervisor.Errorf(supervisor.CodeNotFound, textNothingToGiveBack, q.Name)
	case supervisor.ErrorCodeOf(err) == supervisor.CodeForbidden:
		return nil
	}
	return err
}

// checkAccountIsFree refuses a Unix account that does not exist or belongs to another user.
func (o *Service) checkAccountIsFree(name string) error {
	if name == "" {
		return nil
	}
	if _, err := placement.FindAccount(name); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNoAccount, name)
	}
	for _, other := range o.People.Names() {
		if u, _ := o.People.Find(other); u.Account == name {
			return supervisor.Errorf(supervisor.CodeInvalid, textAccountTaken, name, other)
		}
	}
	return nil
}
