package access_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/access"
)

const (
	own      = 990
	annUID   = 1000
	bobUID   = 1001
	kidsUID  = 1002
	stranger = 1003
)

func accounts(name string) (uint32, error) {
	uid, ok := map[string]uint32{"ann": annUID, "bob": bobUID, "kids": kidsUID}[name]
	if !ok {
		return 0, errors.New("unknown account")
	}
	return uid, nil
}

func user(name, account string, role supervisor.Role) supervisor.User {
	return supervisor.User{Name: name, Account: account, Role: role}
}

// directory has an admin, a user, and two users who share an account. No user has the service's own
// account.
var directory = []supervisor.User{
	user("ann", "ann", supervisor.RoleAdmin), user("bob", "bob", supervisor.RoleUser),
	user("cat", "kids", supervisor.RoleUser), user("dan", "kids", supervisor.RoleUser),
}

func people(t *testing.T, users ...supervisor.User) *access.People {
	t.Helper()
	p, err := access.NewPeople(users, own, accounts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFindSpeaker_UserIDAndName_FindsUser(t *testing.T) {
	for name, c := range map[string]struct {
		users []supervisor.User
		uid   uint32
		as    string
		want  string               // the name of the found user
		code  supervisor.ErrorCode // the error code of the refusal
		names string               // a text that the refusal must contain
	}{
		"a user as themselves":                 {directory, bobUID, "", "bob", "", ""},
		"a user by their own name":             {directory, bobUID, "bob", "bob", "", ""},
		"a user as another":                    {directory, bobUID, "ann", "", supervisor.CodeForbidden, "Only an admin"},
		"a user as an unknown user":            {directory, bobUID, "eve", "", supervisor.CodeForbidden, "Only an admin"},
		"an admin as themselves":               {directory, annUID, "", "ann", "", ""},
		"an admin as another":                  {directory, annUID, "bob", "bob", "", ""},
		"an admin as an unknown user":          {directory, annUID, "eve", "", supervisor.CodeNotFound, "ann, bob, cat, dan"},
		"a shared account without a name":      {directory, kidsUID, "", "", supervisor.CodeInvalid, "cat, dan"},
		"a shared account as its user":         {directory, kidsUID, "dan", "dan", "", ""},
		"a shared account as another":          {directory, kidsUID, "bob", "", supervisor.CodeForbidden, "Only an admin"},
		"a stranger":                           {directory, stranger, "", "", supervisor.CodeForbidden, "1003"},
		"a stranger with a name":               {directory, stranger, "bob", "", supervisor.CodeForbidden, "Only an admin"},
		"a stranger, one user":                 {directory[:1], stranger, "", "", supervisor.CodeForbidden, "1003"},
		"root as anybody":                      {directory, 0, "cat", "cat", "", ""},
		"root without a name":                  {directory, 0, "", "", supervisor.CodeInvalid, "--user"},
		"root, one user":                       {directory[:1], 0, "", "ann", "", ""},
		"the service's account as anybody":     {directory, own, "bob", "bob", "", ""},
		"the service's account without a name": {directory, own, "", "", supervisor.CodeInvalid, "--user"},
		"the service as the only user":         {[]supervisor.User{user("eve", "", supervisor.RoleUser)}, own, "", "eve", "", ""},
		"a stranger as that user":              {[]supervisor.User{user("eve", "", supervisor.RoleUser)}, stranger, "eve", "", supervisor.CodeForbidden, ""},
		"an unknown role":                      {[]supervisor.User{user("bob", "bob", "owner"), directory[0]}, bobUID, "ann", "", supervisor.CodeForbidden, ""},
		"no users":                             {nil, 0, "", "", supervisor.CodeInvalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := people(t, c.users...).FindSpeaker(c.uid, c.as)
			if got.Name != c.want || supervisor.ErrorCodeOf(err) != c.code {
				t.Fatalf("speaks as %q, %v; want %q, code %q", got.Name, err, c.want, c.code)
			}
			if err != nil && !strings.Contains(err.Error(), c.names) {
				t.Errorf("%q does not name %q", err, c.names)
			}
		})
	}
}

// A refusal to an unknown or ordinary user does not list the other users.
func TestFindSpeaker_Refusal_ListsNoOtherUsers(t *testing.T) {
	p := people(t, directory...)
	for _, c := range []struct {
		uid uint32
		as  string
	}{{stranger, ""}, {stranger, "x"}, {bobUID, "x"}, {kidsUID, ""}} {
		_, err := p.FindSpeaker(c.uid, c.as)
		if err == nil || strings.Contains(err.Error(), "ann") {
			t.Errorf("uid %d as %q is told %v", c.uid, c.as, err)
		}
	}
}

func TestIsAdmin_RootServiceAndAdmins_IsTrue(t *testing.T) {
	p := people(t, directory...)
	for uid, want := range map[uint32]bool{0: true, own: true, annUID: true, bobUID: false, kidsUID: false, stranger: false,
		^uint32(0): false} {
		if p.IsAdmin(uid) != want {
			t.Errorf("uid %d is admin: %v", uid, !want)
		}
	}
}

func TestNewPeople_AmbiguousUsers_Fails(t *testing.T) {
	for name, users := range map[string][]supervisor.User{
		"a missing account":   {user("eve", "eve", supervisor.RoleUser)},
		"a name twice":        {user("bob", "bob", supervisor.RoleUser), user("bob", "kids", supervisor.RoleUser)},
		"no name":             {user("", "bob", supervisor.RoleUser)},
		"a Telegram id twice": {onTelegram("ann", 42), onTelegram("bob", 42)},
		"a group's id":        {onTelegram("ann", -100123)},
	} {
		if p, err := access.NewPeople(users, own, accounts); err == nil {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}

func onTelegram(name string, id int64) supervisor.User {
	u := user(name, "", supervisor.RoleUser)
	if id != 0 {
		u.Accounts = map[supervisor.Channel]string{supervisor.ChannelTelegram: strconv.FormatInt(id, 10)}
	}
	return u
}

func TestFindByAccount_TelegramNumber_FindsUser(t *testing.T) {
	p := people(t, onTelegram("ann", 42), onTelegram("bob", 0), onTelegram("cat", 1<<51), onTelegram("dan", 0))
	for id, want := range map[int64]string{
		42: "ann", 1 << 51: "cat", 0: "", 43: "", -42: "", 1<<51 + 42: "", 1<<63 - 1: "", -1 << 63: "",
	} {
		u, ok := p.FindByAccount(supervisor.ChannelTelegram, strconv.FormatInt(id, 10))
		if u.Name != want || ok != (want != "") || ok && u.Accounts[supervisor.ChannelTelegram] != strconv.FormatInt(id, 10) {
			t.Errorf("%d is %q, %v; want %q", id, u.Name, ok, want)
		}
	}
}

func TestPeopleNames_AreSortedCopies(t *testing.T) {
	p := people(t, directory[1], directory[0])
	names := p.Names()
	if !slices.Equal(names, []string{"ann", "bob"}) {
		t.Errorf("got %v", names)
	}
	names[0] = "eve"
	if p.Names()[0] != "ann" {
		t.Error("a caller changed the names")
	}
	if _, ok := p.Find("eve"); ok {
		t.Error("eve was found")
	}
	if u, ok := p.Find("bob"); !ok || u.Account != "bob" {
		t.Errorf("found %+v, %v", u, ok)
	}
}
