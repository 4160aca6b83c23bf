package access

import (
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
)

// Speaker is the user as whom a process of that user id speaks. as names one; "" is the account's own user. Only an admin
// may speak as somebody whose account it is not, and nobody as one who is suspended.
func (p *People) Speaker(uid uint32, as string) (supervisor.User, error) {
	h := p.current.Load()
	name, err := p.resolveName(h, uid, as)
	if err != nil {
		return supervisor.User{}, err
	}
	if h.suspended[name] {
		return supervisor.User{}, forbidden("%s", suspendedText(name))
	}
	return h.users[name], nil
}

// suspendedText is what is told of a person who may not speak for now.
func suspendedText(name string) string {
	return fmt.Sprintf("%s is suspended here, and nobody can speak as %s until an admin has ended that.", name, name)
}

// resolveName is who is meant, suspended or not.
func (p *People) resolveName(h *directory, uid uint32, as string) (string, error) {
	if as == "" {
		return p.soleName(h, uid)
	}
	_, known := h.users[as]
	switch {
	case slices.Contains(h.byUID[uid], as), known && p.admin(h, uid):
		return as, nil
	case p.admin(h, uid):
		return "", &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
			"There is no user %q. There are: %s.", as, strings.Join(h.names, ", "))}
	}
	return "", forbidden("Only an admin may speak as %q; this account is not one.", as)
}

func (p *People) soleName(h *directory, uid uint32) (string, error) {
	mine := h.active(uid)
	if len(mine) == 0 {
		mine = h.byUID[uid] // to be told that they are suspended
	}
	switch {
	case len(mine) == 1:
		return mine[0], nil
	case len(mine) == 0 && p.admin(h, uid) && len(h.names) == 1:
		return h.names[0], nil
	case p.admin(h, uid):
		return "", invalid("Say as whom to speak, with --user NAME. There are: %s.", strings.Join(h.names, ", "))
	case len(mine) == 0:
		return "", forbidden("No user of Mews has this account (user id %d). An admin can add it: `account:` under `users:` "+
			"in the configuration.", uid)
	}
	return "", invalid("This account is that of several users; say which with --user NAME: %s.", strings.Join(mine, ", "))
}

func forbidden(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}
