package access

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mews/supervisor"
)

// Stored is what there is of people besides the configuration. What of it names nobody there is counts for nothing: a
// person who was taken out of the configuration leaves such.
type Stored struct {
	Bindings  []Binding
	Suspended []string // names of users
	Groups    []Group
	// Added are who is not of the configuration. The service's own account is that of the configuration's people who have none
	// of their own: it says for nobody of these that it is they who speak.
	Added []string
}

// Binding is an account of a channel that is a person's.
type Binding struct {
	Channel supervisor.Channel
	Account string // the channel's own number of it
	User    string
}

// Group is a chat of several people in which they may speak.
type Group struct {
	Channel supervisor.Channel
	Chat    string
}

// directory is everybody, at one time. It is never changed.
type directory struct {
	users           map[string]supervisor.User
	names           []string // sorted
	byUID           map[uint32][]string
	accounts        map[account]string
	suspended       map[string]bool
	groups          map[Group]bool
	ignoredBindings []Binding // see People.Skipped
}

type account struct {
	channel supervisor.Channel
	number  string
}

func newDirectory(users []supervisor.User, more Stored, lookup Accounts) (*directory, error) {
	h := &directory{users: map[string]supervisor.User{}, byUID: map[uint32][]string{}, accounts: map[account]string{},
		suspended: map[string]bool{}, groups: map[Group]bool{}}
	for _, u := range users {
		if err := h.add(u, u.Account == "" && slices.Contains(more.Added, u.Name), lookup); err != nil {
			return nil, err
		}
	}
	configured := maps.Clone(h.accounts)
	for _, b := range more.Bindings {
		owner, taken := configured[account{b.Channel, b.Account}]
		if _, known := h.users[b.User]; known && taken && owner != b.User {
			h.ignoredBindings = append(h.ignoredBindings, b)
			continue
		}
		if err := h.bind(b); err != nil {
			return nil, err
		}
	}
	for _, name := range more.Suspended {
		h.suspended[name] = true
	}
	for _, g := range more.Groups {
		h.groups[g] = true
	}
	slices.Sort(h.names)
	return h, nil
}

// add has one more person be there. Who has no account can be spoken for by an admin alone.
func (h *directory) add(u supervisor.User, noAccount bool, lookup Accounts) error {
	if _, twice := h.users[u.Name]; twice || u.Name == "" {
		return fmt.Errorf("user %q: the name is empty or another user's", u.Name)
	}
	uid, err := lookup(u.Account)
	if err != nil {
		return fmt.Errorf("account %q of user %s: %w", u.Account, u.Name, err)
	}
	h.users[u.Name] = u
	h.names = append(h.names, u.Name)
	if !noAccount {
		h.byUID[uid] = append(h.byUID[uid], u.Name)
	}
	if u.Telegram == 0 {
		return nil
	}
	return h.bind(Binding{supervisor.ChannelTelegram, strconv.FormatInt(u.Telegram, 10), u.Name})
}

// bind gives a person an account. Who has no id on Telegram by the configuration has the first that they were bound to.
func (h *directory) bind(b Binding) error {
	u, known := h.users[b.User]
	if !known {
		return nil
	}
	if b.Channel == supervisor.ChannelTelegram {
		id, err := strconv.ParseInt(b.Account, 10, 64)
		if err != nil || id <= 0 || strconv.FormatInt(id, 10) != b.Account {
			return fmt.Errorf("user %q: %q is no person's id on Telegram", b.User, b.Account)
		}
		if u.Telegram == 0 {
			u.Telegram = id
			h.users[b.User] = u
		}
	}
	key := account{b.Channel, b.Account}
	if other, taken := h.accounts[key]; taken && other != b.User {
		return fmt.Errorf("user %q: %q on %s is %s's", b.User, b.Account, b.Channel, other)
	}
	h.accounts[key] = b.User
	return nil
}

// Owner is whose an account of a channel is, suspended or not; "" is nobody's.
func (p *People) Owner(channel supervisor.Channel, number string) string {
	return p.current.Load().accounts[account{channel, number}]
}

// IgnoredBindings are the bindings that count for nothing, because the configuration says that the account is another person's.
func (p *People) IgnoredBindings() []Binding { return slices.Clone(p.current.Load().ignoredBindings) }

// active are the users of a user id who may speak.
func (h *directory) active(uid uint32) []string {
	return slices.DeleteFunc(slices.Clone(h.byUID[uid]), func(name string) bool { return h.suspended[name] })
}
