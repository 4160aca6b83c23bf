package access_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mews/supervisor"
	"mews/supervisor/access"
)

func telegram(account, name string) access.AccountBinding {
	return access.AccountBinding{Channel: supervisor.ChannelTelegram, Account: account, User: name}
}

func TestSetUsers_NewBindings_TakeEffect(t *testing.T) {
	p := people(t, onTelegram("ann", 42), user("bob", "bob", supervisor.RoleUser))
	more := access.StoredUsers{
		Bindings: []access.AccountBinding{telegram("43", "bob"), telegram("44", "bob"), telegram("45", "ann"),
			telegram("42", "ann"),
			telegram("46", "eve"), {Channel: supervisor.ChannelTerminal, Account: "47", User: "bob"}},
		Groups: []access.Group{{Channel: supervisor.ChannelTelegram, Chat: "-100"}},
	}
	if err := p.SetUsers([]supervisor.User{onTelegram("ann", 42), user("bob", "bob", supervisor.RoleUser)},
		more); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int64]string{42: "ann", 43: "bob", 44: "bob", 45: "ann", 46: "", 47: "", 0: "", -43: "", -100: ""} {
		if u, ok := p.FindByAccount(supervisor.ChannelTelegram, strconv.FormatInt(id, 10)); u.Name != want ||
			ok != (want != "") {
			t.Errorf("%d is %q, %v; want %q", id, u.Name, ok, want)
		}
	}
	for name, want := range map[string]int64{"ann": 42, "bob": 43} {
		if u, _ := p.Find(name); number(u) != want {
			t.Errorf("%s has %d on Telegram, want %d", name, number(u), want)
		}
	}
	for group, want := range map[access.Group]bool{{supervisor.ChannelTelegram, "-100"}: true,
		{supervisor.ChannelTelegram, "-101"}: false, {supervisor.ChannelTerminal, "-100"}: false, {}: false} {
		if p.IsGroupAllowed(group.Channel, group.Chat) != want {
			t.Errorf("group %v is allowed: %v", group, !want)
		}
	}
	if err := p.SetUsers([]supervisor.User{onTelegram("ann", 42)}, access.StoredUsers{}); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.FindByAccount(supervisor.ChannelTelegram, "43"); ok || p.IsGroupAllowed(supervisor.ChannelTelegram,
		"-100") || len(p.Names()) != 1 {
		t.Error("what was taken away is still there")
	}
}

// number returns a user's number on Telegram; 0 means none.
func number(u supervisor.User) int64 {
	n, _ := strconv.ParseInt(u.Accounts[supervisor.ChannelTelegram], 10, 64)
	return n
}

func TestSetUsers_InvalidUsers_ChangesNothing(t *testing.T) {
	ann := onTelegram("ann", 42)
	for name, c := range map[string]struct {
		users []supervisor.User
		more  access.StoredUsers
		names []string
	}{
		"an account of two users": {[]supervisor.User{ann, onTelegram("bob", 42)}, access.StoredUsers{}, []string{"ann",
			"bob", "42"}},
		"an account bound to two users": {[]supervisor.User{ann, onTelegram("bob", 0)},
			access.StoredUsers{Bindings: []access.AccountBinding{telegram("7", "bob"), telegram("7", "ann")}},
			[]string{"ann",
				"bob", "7"}},
		"a group as an account": {[]supervisor.User{ann},
			access.StoredUsers{Bindings: []access.AccountBinding{telegram("-7", "ann")}}, []string{"ann"}},
		"a name as an account": {[]supervisor.User{ann},
			access.StoredUsers{Bindings: []access.AccountBinding{telegram("@ann", "ann")}}, []string{"ann"}},
		"a number with a plus sign": {[]supervisor.User{ann},
			access.StoredUsers{Bindings: []access.AccountBinding{telegram("+7", "ann")}}, []string{"ann"}},
		"no such OS account": {[]supervisor.User{user("eve", "eve", supervisor.RoleUser)}, access.StoredUsers{},
			[]string{"eve"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := people(t, onTelegram("old", 1))
			err := p.SetUsers(c.users, c.more)
			if err == nil {
				t.Fatal("was taken")
			}
			for _, word := range c.names {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not name %s", err, word)
				}
			}
			if u, ok := p.FindByAccount(supervisor.ChannelTelegram, "1"); !ok || u.Name != "old" ||
				len(p.Names()) != 1 {
				t.Errorf("of those before are %v left", p.Names())
			}
		})
	}
}

// The configuration decides about an account, even if a stored binding gives it to another user.
// Such a binding locks out no user.
func TestSetUsers_ConfiguredAccount_BeatsBinding(t *testing.T) {
	p := people(t, onTelegram("old", 1))
	wrong := telegram("42", "bob")
	more := access.StoredUsers{Suspended: []string{"ann"}, Bindings: []access.AccountBinding{
		wrong, telegram("43", "bob"), telegram("42", "ann"), telegram("42", "nobody")}}
	if err := p.SetUsers([]supervisor.User{onTelegram("ann", 42), onTelegram("bob", 0)}, more); err != nil {
		t.Fatal(err)
	}
	if got := p.IgnoredBindings(); !slices.Equal(got, []access.AccountBinding{wrong}) {
		t.Errorf("skipped %v", got)
	}
	for number, want := range map[string]string{"42": "ann", "43": "bob", "44": "", "": ""} {
		if got := p.AccountOwner(supervisor.ChannelTelegram, number); got != want {
			t.Errorf("%s is %q's, want %q", number, got, want)
		}
	}
	if _, ok := p.FindByAccount(supervisor.ChannelTelegram, "42"); ok {
		t.Error("a suspended user may speak")
	}
	if u, ok := p.FindByAccount(supervisor.ChannelTelegram, "43"); !ok || number(u) != 43 {
		t.Errorf("43 is %+v, %v", u, ok)
	}
	if err := p.SetUsers([]supervisor.User{onTelegram("bob", 0)}, more); err != nil || len(p.IgnoredBindings()) != 0 {
		t.Errorf("without the one in the configuration %v are skipped, %v", p.IgnoredBindings(), err)
	}
}

// After the first invite, the service's own account still belongs to the one configured user.
func TestFindSpeaker_AddedUser_HasNoServiceAccount(t *testing.T) {
	p := people(t, user("ann", "", supervisor.RoleUser))
	users := []supervisor.User{user("ann", "", supervisor.RoleUser), user("new", "", supervisor.RoleUser), user("bob", "bob", supervisor.RoleUser)}
	if err := p.SetUsers(users, access.StoredUsers{Added: []string{"new", "bob"}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		uid      uint32
		as, want string
	}{{own, "", "ann"}, {own, "new", "new"}, {bobUID, "", "bob"}} {
		if u, err := p.FindSpeaker(c.uid, c.as); err != nil || u.Name != c.want {
			t.Errorf("%d as %q is %q, %v; want %q", c.uid, c.as, u.Name, err, c.want)
		}
	}
	if err := p.SetUsers(users[1:], access.StoredUsers{Added: []string{"new", "bob"}}); err != nil {
		t.Fatal(err)
	}
	if u, err := p.FindSpeaker(own, ""); err == nil || !strings.Contains(err.Error(), "--user NAME") {
		t.Errorf("without a configured user it is %q, %v", u.Name, err)
	}
}

func TestFindSpeaker_SuspendedUser_IsRefused(t *testing.T) {
	p := people(t)
	users := append([]supervisor.User{onTelegram("tim", 42)}, directory...)
	set := func(names ...string) {
		t.Helper()
		if err := p.SetUsers(users, access.StoredUsers{Suspended: names, Bindings: []access.AccountBinding{telegram("7",
			"bob")}}); err != nil {
			t.Fatal(err)
		}
	}
	set("tim", "bob", "ann", "cat", "nobody")
	for _, id := range []int64{42, 7} {
		if u, ok := p.FindByAccount(supervisor.ChannelTelegram, strconv.FormatInt(id, 10)); ok || u.Name != "" {
			t.Errorf("%d is %+v on Telegram", id, u)
		}
	}
	for _, c := range []struct {
		uid  uint32
		as   string
		want string // the user's name, or a word of the refusal
		ok   bool
	}{
		{bobUID, "", "bob is suspended", false}, {bobUID, "bob", "bob is suspended", false}, {0, "bob", "bob is suspended", false},
		{annUID, "", "ann is suspended", false}, {annUID, "dan", "Only an admin", false},
		{kidsUID, "", "dan", true}, {kidsUID, "cat", "cat is suspended", false}, {stranger, "", "No user", false},
		{kidsUID, "bob", "Only an admin", false}, {0, "dan", "dan", true},
	} {
		u, err := p.FindSpeaker(c.uid, c.as)
		if c.ok && (err != nil || u.Name != c.want) {
			t.Errorf("%d as %q is %q, %v", c.uid, c.as, u.Name, err)
		}
		if !c.ok && (err == nil || !strings.Contains(err.Error(), c.want) || u.Name != "" ||
			supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden) {
			t.Errorf("%d as %q is %q, %v; want %q", c.uid, c.as, u.Name, err, c.want)
		}
	}
	for uid, want := range map[uint32][2]bool{annUID: {false, false}, bobUID: {false, false}, kidsUID: {true, false}, 0: {true, true},
		own: {true, true}, stranger: {false, false}} {
		if got := [2]bool{p.IsKnown(uid), p.IsAdmin(uid)}; got != want {
			t.Errorf("%d is known, admin: %v", uid, got)
		}
	}
	if _, ok := p.Find("bob"); !ok || !p.IsSuspended("bob") || p.IsSuspended("dan") || len(p.Names()) != 5 {
		t.Error("a suspended user is missing, or not suspended")
	}
	set()
	if u, ok := p.FindByAccount(supervisor.ChannelTelegram, "7"); !ok || u.Name != "bob" || !p.IsAdmin(annUID) {
		t.Error("they may not speak again")
	}
	if u, err := p.FindSpeaker(bobUID, ""); err != nil || u.Name != "bob" {
		t.Errorf("got %v, %v", u, err)
	}
}

// Every answer comes from one state, even while the users change.
func TestSetUsers_Concurrently_ReadersSeeOneState(t *testing.T) {
	p := people(t)
	var setting, reading sync.WaitGroup
	done := make(chan struct{})
	set := func(n int) {
		name := fmt.Sprint("user", n%7)
		if err := p.SetUsers([]supervisor.User{onTelegram(name, 42)}, access.StoredUsers{}); err != nil {
			t.Error(err)
		}
	}
	set(0)
	setting.Go(func() {
		for n := range 2000 {
			set(n)
		}
	})
	for range 3 {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if u, ok := p.FindByAccount(supervisor.ChannelTelegram, "42"); !ok || number(u) != 42 || u.Name == "" ||
					len(p.Names()) != 1 {
					t.Errorf("got %+v, %v", u, ok)
					return
				}
			}
		})
	}
	setting.Wait()
	close(done)
	reading.Wait()
}
