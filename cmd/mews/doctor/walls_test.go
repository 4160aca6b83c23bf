package doctor

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/config"
	"mews/protocol"
	"mews/supervisor/api"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

// The finding quotes the spawner's text with its line breaks.
func TestLimitsLine_NoSandbox_QuotesSpawner(t *testing.T) {
	const said = `start /bin/mews-spawner: it ended without a word` + "\n" + `mews-spawner: exit status 1; it wrote: mews-spawner: ` +
		`there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two`
	spawners := errors.New(said)
	if got, want := placement.SandboxError(spawners).Error(),
		"there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two"; got != want {
		t.Errorf("%s", got)
	}
	if got := unknownLimits(spawners); !errors.As(got, new(*warning)) {
		t.Errorf("the limits: %v", got)
	}
	for _, other := range []error{errors.New("no such program"), errors.New(`it wrote: mews-spawner: \q`), nil} {
		if placement.SandboxError(other) != other || unknownLimits(other) != other {
			t.Errorf("%v is not left as it is", other)
		}
	}
	if got, want := indentRest("one\ntwo"), "one\n                two"; got != want {
		t.Errorf("%q", got)
	}
	for why, want := range map[string]string{
		"All is well.": "All is well.",
		"Some hold. Stronger walls do not work here: accounts: one; namespaces: two.": "Some hold.\nStronger walls do not work here:\n" +
			"accounts: one\nnamespaces: two.",
	} {
		if got := splitTiers(why); got != want {
			t.Errorf("%q", got)
		}
	}
}

// With the isolation accounts, users without their own account share the service's account. With
// any other isolation, all users share one account.
func TestSharedAccountText_CountsUsers(t *testing.T) {
	cfg := &config.Config{Users: []config.User{{Name: "ann"}, {Name: "ben", Account: "ben"}, {Name: "cat"}}}
	in := func(tier string) api.Status { return api.Status{Walls: pool.Sandbox{Tier: tier}} }
	if got := sharedAccountText(cfg, in("accounts")); !strings.HasPrefix(got, " 2 people share one account") || !strings.Contains(got, "uids: auto") {
		t.Errorf("%q", got)
	}
	running := in("accounts")
	running.Users = []api.UserStatus{{Name: "ann", Shares: true}, {Name: "ben"}, {Name: "cat", Shares: true}}
	for why, want := range map[string]string{"": "handed over", "the range is not free": "the range is not free"} {
		cfg.Worker.UIDs, running.Sharing = config.AutomaticUIDs, why
		if got := sharedAccountText(cfg, running); !strings.HasPrefix(got, " 2 people share one account") || !strings.Contains(got, want) {
			t.Errorf("%q", got)
		}
	}
	running.Users[2].Shares = false
	if got := sharedAccountText(cfg, running); got != "" {
		t.Errorf("each with a uid of their own: %q", got)
	}
	for _, tier := range []string{"namespaces", "landlock"} {
		if got := sharedAccountText(cfg, in(tier)); !strings.HasPrefix(got,
			" 3 people share the kernel limits of one account") ||
			!strings.Contains(got, "fs.epoll.max_user_watches") {
			t.Errorf("in %s: %q", tier, got)
		}
	}
	if got := sharedAccountText(cfg, in("off")); got != "" {
		t.Errorf("without walls: %q", got)
	}
	cfg.Users = cfg.Users[1:]
	if got := sharedAccountText(cfg, in("accounts")); got != "" {
		t.Errorf("one alone: %q", got)
	}
}

func TestHistoryText_EachTier_SaysWhatIsMissing(t *testing.T) {
	cfg := &config.Config{}
	for _, tier := range []string{"accounts", "namespaces", "landlock", "off"} {
		cfg.Worker.History = 0
		if got := historyText(cfg, tier); got != textHistoryNone {
			t.Errorf("no room in %s: %q", tier, got)
		}
		cfg.Worker.History = config.GiB
		want := map[string]string{"landlock": textHistoryModes, "off": textHistoryOff}[tier]
		if got := historyText(cfg, tier); got != want {
			t.Errorf("in %s: %q, want %q", tier, got, want)
		}
	}
}

// A locked marker shows that the daemon lives.
func TestCheckDaemon_SurvivingProcess_IsFound(t *testing.T) {
	marker := filepath.Join(t.TempDir(), protocol.DaemonMarkerFile)
	outcome := func() string {
		findings := []protocol.EscapeReport{{Row: "F1", Outcome: protocol.EscapeUntried}, {Row: "X1",
			Outcome: protocol.EscapeUntried}}
		checkDaemon(findings, marker)
		if findings[0].Outcome != protocol.EscapeUntried {
			t.Errorf("of another row: %+v", findings[0])
		}
		return findings[1].Outcome
	}
	if got := outcome(); got != protocol.EscapeUntried {
		t.Errorf("without a marker: %s", got)
	}
	// Another process must hold the lock, because the kernel does not show a process its own locks.
	daemon := exec.Command("python3", "-c", "import fcntl, sys\nf = open(sys.argv[1], 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)\n"+
		"print('locked', flush=True)\nsys.stdin.read()", marker)
	in, err1 := daemon.StdinPipe()
	out, err2 := daemon.StdoutPipe()
	if err := errors.Join(err1, err2, daemon.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if got := outcome(); got != protocol.EscapeSucceeded {
		t.Errorf("while it lives: %s", got)
	}
	if err := errors.Join(in.Close(), daemon.Wait()); err != nil {
		t.Fatal(err)
	}
	if got := outcome(); got != protocol.EscapePrevented {
		t.Errorf("when it is gone: %s", got)
	}
}

// In the tier accounts, the process that makes the attempts shares the account of all users.
func TestEscapes_EndedByWatchdog_CountAsEscapes(t *testing.T) {
	var out strings.Builder
	bad := writeEscapes(&out, "accounts", []protocol.EscapeReport{{Row: "Q12", Outcome: protocol.EscapeSucceeded},
		{Row: "Q13", Outcome: protocol.EscapeSucceeded}, {Row: "F16", Outcome: protocol.EscapeSucceeded}})
	if bad != 2 || !strings.Contains(out.String(), "1 known to succeed") {
		t.Errorf("%d of\n%s", bad, &out)
	}
}
