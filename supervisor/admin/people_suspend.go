package admin

import (
	"context"
	"fmt"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/backup"
)

// SuspendUserRequest are the parameters of user.suspend.
type SuspendUserRequest struct {
	User string `json:"user"`
	On   bool   `json:"on"`
}

// suspend suspends a user, or ends the suspension.
func (o *Service) suspend(ctx context.Context, by Caller, q SuspendUserRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	open, err := o.openLogins(ctx, u.Name)
	if err != nil {
		return TextResult{}, err
	}
	done := auditEntry(by, u.Name, "user.enabled", "")
	if q.On {
		done = auditEntry(by, u.Name, "user.disabled", amount.Plural(open, "login", "logins")+" ended")
	}
	if err := o.Store.People.Suspend(ctx, u.Name, q.On, done); err != nil {
		return TextResult{}, err
	}
	if q.On {
		o.acted(backup.ActDisabled, u.Name, "")
	} else {
		o.acted(backup.ActEnabled, u.Name, "")
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		return TextResult{}, fmt.Errorf("the change is stored, and takes effect at the next start: %w", err)
	}
	if !q.On {
		return TextResult{fmt.Sprintf(textEnabled, u.Name)}, nil
	}
	return TextResult{fmt.Sprintf(textSuspended, u.Name, amount.Plural(open, "login was", "logins were"),
		u.Name)}, nil
}

// openLogins returns the number of chats in which a user's gate is open.
func (o *Service) openLogins(ctx context.Context, user string) (n int, err error) {
	list, err := o.Store.Logins.List(ctx)
	limits := o.Configuration.Summary().Logins
	for _, l := range list {
		if l.User == user && l.IsOpen(o.Now(), limits.IdleTimeout, limits.Lifetime) {
			n++
		}
	}
	return n, err
}

// removePerson removes a user who was added while Mews ran.
func (o *Service) removePerson(ctx context.Context, by Caller, q UserRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	if o.configured(u.Name) {
		return TextResult{}, supervisor.Errorf(supervisor.CodeInvalid, textRemoveConfigured, u.Name, u.Name)
	}
	if _, err := o.Store.People.Remove(ctx, u.Name, auditEntry(by, u.Name, "user.removed", "")); err != nil {
		return TextResult{}, err
	}
	o.acted(backup.ActRemoved, u.Name, "")
	if err := o.Configuration.Refresh(ctx); err != nil {
		return TextResult{}, fmt.Errorf("the change is stored, and takes effect at the next start: %w", err)
	}
	if _, err := userDataOf(ctx, o.Store.People, o.Configuration.Summary(), u.Name); supervisor.ErrorCodeOf(err) ==
		supervisor.CodeNotFound {
		return TextResult{fmt.Sprintf(textRemovedWithoutData, u.Name)}, nil
	}
	return TextResult{fmt.Sprintf(textRemoved, u.Name, u.Home, u.Name)}, nil
}
