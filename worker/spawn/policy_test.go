package spawn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/worker/sandbox"
)

func TestReadPolicy_ValidLines_AreRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Policy
	}{
		"minimal policy": {"worker /usr/lib/mews/mews-worker", Policy{Worker: "/usr/lib/mews/mews-worker",
			MinTier: sandbox.TierNamespaces, UIDs: personUIDs, Memory: defaultMemory, PIDs: defaultPIDs}},
		"everything": {"# people\nworker\t/w \nsandbox accounts\n\n  sandbox_min   landlock\nuids 2000-2999\npeople 70000-79999\naccount 980:981\n" +
			"root /home\nroot /srv/my work\nmemory 1000\npids 20\n",
			Policy{"/w", sandbox.TierAccounts, sandbox.TierLandlock, sandbox.IDRange{From: 2000, To: 2999},
				sandbox.IDRange{From: 70000, To: 79999}, Account{980, 981},
				[]string{"/home", "/srv/my work"}, 1000, 20, nil, false}},
		"single persons": {"worker /w\nuids none\nperson 1001:1001\nperson 1002:1005\n", Policy{Worker: "/w",
			MinTier: sandbox.TierNamespaces, Memory: defaultMemory, PIDs: defaultPIDs, NoUIDs: true,
			Persons: []Account{{1001, 1001}, {1002, 1005}}}},
		"nobody": {"worker /w\nuids none\n", Policy{Worker: "/w", MinTier: sandbox.TierNamespaces,
			Memory: defaultMemory, PIDs: defaultPIDs, NoUIDs: true}},
		"automatic tiers": {"worker /w\nsandbox auto\nsandbox_min auto\r\n", Policy{Worker: "/w",
			MinTier: sandbox.TierNamespaces, UIDs: personUIDs, Memory: defaultMemory, PIDs: defaultPIDs}},
	} {
		got, err := ReadPolicy(strings.NewReader(c.text))
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestReadPolicy_BadLines_AreRefused(t *testing.T) {
	for name, c := range map[string]struct{ line, why string }{
		"an unknown key":          {"uid 1000-2000", `line 2: there is no key "uid"`},
		"a key in capitals":       {"UIDs 1000-2000", "there is no key"},
		"a key alone":             {"memory", "memory"},
		"a key twice":             {"worker /v", "line 2: worker is there twice"},
		"a relative root":         {"root home", "absolute"},
		"unknown tier":            {"sandbox namespace", "want auto, accounts"},
		"no walls asked for":      {"sandbox none", "want auto, accounts"},
		"a range of one number":   {"uids 1000", "want two numbers"},
		"a range of three":        {"uids 1000-2000-3000", "want two numbers"},
		"negative range":          {"uids -1-2000", "want two numbers"},
		"a range of the system":   {"uids 999-2000", "where no system account is"},
		"a range of root":         {"uids 0-2000", "where no system account is"},
		"a range upside down":     {"uids 3000-2000", "where no system account is"},
		"a range of everybody":    {"uids 1000-4294967295", "up to 2147483647"},
		"a range of more":         {"uids 1000-4294967296", "want two numbers"},
		"people of the system":    {"people 999-2000", "want a range above 999"},
		"people upside down":      {"people 3000-2000", "want a range above 999"},
		"people of everybody":     {"people 70000-4294967295", "up to 2147483647"},
		"an account of root":      {"account 0:1000", "never root"},
		"an account in its group": {"account 1000:0", "never root"},
		"account -1":              {"account 4294967295:1000", "up to 2147483647"},
		"group -1":                {"account 1000:4294967295", "up to 2147483647"},
		"memory with a unit":      {"memory 1G", "memory"},
		"memory beyond counting":  {"memory 9223372036854775808", "memory"},
		"a person of the system":  {"person 33:33", "where no system account is"},
		"a person by name":        {"person ann", "want two numbers"},
		"nobody as a person":      {"person 65534:1001", "no person's"},
		"nobody's group":          {"person 1001:65534", "no person's"},
		"a person among people":   {"uids none\npeople 70000-79999\nperson 70001:1001", "within people 70000-79999"},
		"a group among people":    {"person 1001:79999\npeople 70000-79999", "within people 70000-79999"},
		"persons and a range":     {"uids 1000-2000\nperson 1001:1001", "want none"},
		"fewer than no pids":      {"pids -1", "pids"},
		"a very long line":        {"root /" + strings.Repeat("r", 1<<17), "too long"},
	} {
		_, err := ReadPolicy(strings.NewReader("worker /w\n" + c.line + "\n"))
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
	if _, err := ReadPolicy(strings.NewReader("# nothing\n")); err == nil || !strings.Contains(err.Error(), "worker is missing") {
		t.Errorf("nothing: %v", err)
	}
}

// TestSpawnAccount_EachRequest_GetsAllowedUID asks for accounts under the policy of each kind of
// service.
func TestSpawnAccount_EachRequest_GetsAllowedUID(t *testing.T) {
	mews, root, forWorkers := Account{980, 980}, Account{}, Account{981, 981}
	policy := func(a Account) Policy {
		return Policy{Worker: "/w", UIDs: sandbox.IDRange{From: 2000, To: 2999}, Account: a}
	}
	for name, c := range map[string]struct {
		policy     Policy
		own, asked Account
		want       Account // zero means that the request is refused
	}{
		"no account, service":                {policy(Account{}), mews, Account{}, mews},
		"no account, root":                   {policy(Account{}), root, Account{}, Account{}},
		"no account, workers' account":       {policy(forWorkers), mews, Account{}, forWorkers},
		"no account, root, workers' account": {policy(forWorkers), root, Account{}, forWorkers},
		"a group without an account":         {policy(forWorkers), root, Account{0, 6}, forWorkers},
		"the first":                          {policy(Account{}), root, Account{2000, 2000}, Account{2000, 2000}},
		"the last":                           {policy(Account{}), mews, Account{2999, 2999}, Account{2999, 2999}},
		"before the first":                   {policy(Account{}), mews, Account{1999, 2000}, Account{}},
		"after the last":                     {policy(Account{}), mews, Account{3000, 2000}, Account{}},
		"a group of the system":              {policy(Account{}), mews, Account{2000, 6}, Account{}},
		"the group of root":                  {policy(Account{}), root, Account{2000, 0}, Account{}},
		"the service's":                      {policy(forWorkers), mews, mews, mews},
		"the service's, and a group":         {policy(forWorkers), mews, Account{980, 6}, Account{}},
		"the workers'":                       {policy(forWorkers), mews, forWorkers, forWorkers},
		"the workers', and a group":          {policy(forWorkers), mews, Account{981, 6}, Account{}},
		"account -1, no change":              {policy(Account{}), root, Account{1<<32 - 1, 1<<32 - 1}, Account{}},
	} {
		got, err := c.policy.workerAccount(c.asked, c.own)
		if refused := c.want == (Account{}); refused != (err != nil) || !refused && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestRoots_OutsidePath_IsRefused(t *testing.T) {
	some := Policy{Roots: []string{"/home", "/srv/work"}}
	for _, c := range []struct {
		policy Policy
		root   string
		ok     bool
	}{
		{some, "/home", true}, {some, "/srv/work", true}, {some, "/srv", false}, {some, "/home/alice", false},
		{some, "/home/", false}, {some, "home", false}, {some, "", false}, {Policy{}, "/any", true}, {Policy{}, "any", false},
	} {
		if err := c.policy.checkRoot(c.root); (err == nil) != c.ok {
			t.Errorf("%q of %q: %v", c.root, c.policy.Roots, err)
		}
	}
}

// FuzzReadPolicy: an accepted policy stays within the bounds, and no worker is ever root.
func FuzzReadPolicy(f *testing.F) {
	f.Add("worker /w\nuids 2000-2999\naccount 980:981\nroot /home\nsandbox auto\nmemory 1000\npids 20\n", uint32(0), uint32(0))
	f.Add("worker /w\nuids 1000-4294967295\n", uint32(1<<32-1), uint32(1))
	f.Fuzz(func(t *testing.T, text string, uid, gid uint32) {
		p, err := ReadPolicy(strings.NewReader(text))
		if err != nil {
			return
		}
		noRange := p.NoUIDs || p.Persons != nil
		if p.Worker[0] != '/' || !noRange && (p.UIDs.From < 1000 || p.UIDs.To < p.UIDs.From) ||
			p.Memory == 0 || p.PIDs == 0 ||
			!p.MinTier.IsValid() {
			t.Fatalf("%q was read as %+v", text, p)
		}
		a, err := p.workerAccount(Account{uid, gid}, Account{})
		if err == nil && (a.UID == 0 || a.GID == 0 || max(a.UID, a.GID) > maxUID) {
			t.Fatalf("%q allows the account %+v", text, a)
		}
	})
}

// TestSpawnAccount_NamedPersons_AreExact: with single persons, a worker gets no other account, and
// no other group.
func TestSpawnAccount_NamedPersons_AreExact(t *testing.T) {
	p, err := ReadPolicy(strings.NewReader("worker /w\nuids none\nperson 1001:1001\nperson 1002:1005\n"))
	if err != nil {
		t.Fatal(err)
	}
	mews := Account{980, 980}
	for asked, allowed := range map[Account]bool{{1001, 1001}: true, {1002, 1005}: true, {1001, 1005}: false,
		{1003, 1003}: false, {1005, 1005}: false, {1000, 1000}: false} {
		if got, err := p.workerAccount(asked, mews); (err == nil) != allowed || allowed && got != asked {
			t.Errorf("for %v the worker gets %v, %v", asked, got, err)
		}
	}
	want := []sandbox.IDRange{{From: 1001, To: 1002}, {From: 1005, To: 1005}}
	if diff := cmp.Diff(want, p.personRanges()); diff != "" {
		t.Error(diff)
	}
}
