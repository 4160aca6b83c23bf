package access

import (
	"errors"
	"fmt"
	"maps"
	"os/user"
	"slices"

	"mews/supervisor"
)

// StoredUsers is the stored data about users, in addition to the configuration. Rows of users who
// were removed from the configuration have no effect.
type StoredUsers struct {
	Bindings  []AccountBinding
	Suspended []string // the names of suspended users
	Groups    []Group
	// Added are the users who are not in the configuration. A configured user without an account
	// has the service's account; an added user without an account has none.
	Added []string
}

// AccountBinding gives an account on a channel to a user.
type AccountBinding struct {
	Channel supervisor.Channel
	Account string // the account's number on the channel
	User    string
}

// Group is a chat of several people in which users may speak.
type Group struct {
	Channel supervisor.Channel
	Chat    string
}

// directory holds all users at one time. It never changes after its creation.
type directory struct {
	users           map[string]supervisor.User
	names           []string // the sorted names of all users
	byUID           map[uint32][]string
	accounts        map[account]string
	suspended       map[string]bool
	groups          map[Group]bool
	ignoredBindings []AccountBinding
}

type account struct {
	channel supervisor.Channel
	number  string
}

func newDirectory(users []supervisor.User, stored StoredUsers, lookup AccountLookup) (*directory, error) {
	d := &directory{users: map[string]supervisor.User{}, byUID: map[uint32][]string{}, accounts: map[account]string{},
		suspended: map[string]bool{}, groups: map[Group]bool{}}
	for _, u := range users {
		if err := d.add(u, u.Account == "" && slices.Contains(stored.Added, u.Name), lookup); err != nil {
			return nil, err
		}
	}
	configured := maps.Clone(d.accounts)
	for _, b := range stored.Bindings {
		owner, taken := configured[account{b.Channel, b.Account}]
		if _, known := d.users[b.User]; known && taken && owner != b.User {
			d.ignoredBindings = append(d.ignoredBindings, b)
		} else if err := d.bind(b); err != nil {
			return nil, err
		}
	}
	for _, name := range stored.Suspended {
		d.suspended[name] = true
	}
	for _, g := range stored.Groups {
		d.groups[g] = true
	}
	slices.Sort(d.names)
	return d, nil
}

// add adds a user. If the user has no account on this machine, only an admin can speak as this
// user.
func (d *directory) add(u supervisor.User, noAccount bool, lookup AccountLookup) error {
	if _, twice := d.users[u.Name]; twice || u.Name == "" {
		return fmt.Errorf("user %q: the name is empty or another user's", u.Name)
	}
	uid, err := lookup(u.Account)
	if errors.As(err, new(user.UnknownUserError)) {
		noAccount = true // a user without an account can speak on channels that need no account
	} else if err != nil {
		return fmt.Errorf("account %q of user %s: %w", u.Account, u.Name, err)
	}
	d.users[u.Name] = u
	d.names = append(d.names, u.Name)
	if !noAccount {
		d.byUID[uid] = append(d.byUID[uid], u.Name)
	}
	for channel, number := range u.Accounts {
		if err := d.bind(AccountBinding{channel, number, u.Name}); err != nil {
			return err
		}
	}
	return nil
}

// bind gives an account to a user. If the configuration names no account of the user on a channel,
// the first binding there becomes the user's account.
func (d *directory) bind(b AccountBinding) error {
	u, known := d.users[b.User]
	if !known {
		return nil
	}
	if b.Channel.Capabilities().NeedsAccount {
		if !isAccountNumber(b.Account) {
			return fmt.Errorf("user %q: %q is not a user's id on %s", b.User, b.Account, b.Channel)
		}
		if u.Accounts[b.Channel] == "" {
			first := map[supervisor.Channel]string{b.Channel: b.Account}
			maps.Copy(first, u.Accounts)
			u.Accounts = first
			d.users[b.User] = u
		}
	}
	key := account{b.Channel, b.Account}
	if other, taken := d.accounts[key]; taken && other != b.User {
		return fmt.Errorf("user %q: account %q on %s belongs to %s", b.User, b.Account, b.Channel, other)
	}
	d.accounts[key] = b.User
	return nil
}

// active returns the names of the users with a Unix user id who are not suspended.
func (d *directory) active(uid uint32) []string {
	return slices.DeleteFunc(slices.Clone(d.byUID[uid]), func(name string) bool { return d.suspended[name] })
}
