package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/calendar"
	"mews/supervisor/control"
	"mews/supervisor/logging"
	"mews/supervisor/placement"
	"mews/supervisor/services"
	"mews/supervisor/sqlite"
)

// commandLine runs `mews` commands as an admin, with or without a running service.
type commandLine struct {
	t    *testing.T
	dir  string
	file string
	s    *service // the running service; nil means that none runs
}

const commandLineConfig = `state: %[1]s/state
worker: {uids: ""} # homes are made at once, and not with the first worker
users:
  - {name: ann, role: admin, home: %[1]s/ann, budget: {day: 2.50}}
  - {name: ben, home: %[1]s/ben, totp: required}
  - {name: cleo, home: %[1]s/cleo, totp: off}
`

func readConfig(file string) (*config.Config, error) {
	env, err := config.ReadMachineEnv(DefaultEffectRules(), TaintedEffectRules())
	if err != nil {
		return nil, err
	}
	return config.Load(file, env)
}

// newCommandLine writes a configuration with three users. If served is true, it also starts the
// parts of a service that the commands call.
func newCommandLine(t *testing.T, served bool) *commandLine {
	t.Helper()
	c := &commandLine{t: t, dir: t.TempDir()}
	c.file = filepath.Join(c.dir, "mews.yaml")
	c.configure(fmt.Sprintf(commandLineConfig, c.dir))
	for _, name := range []string{"ann", "ben", "cleo"} {
		if err := os.Mkdir(filepath.Join(c.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if served {
		c.serve()
	}
	return c
}

func (c *commandLine) configure(text string) {
	c.t.Helper()
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// newRunning returns the dependencies of admin calls that only a running service has.
func (c *commandLine) newRunning() *admin.RunningParts {
	c.s.configuration.setPrices = func(cfg *config.Config) error { return c.s.models.SetPrices(pricesOf(cfg)) }
	c.s.configuration.applyRest = c.s.applyConfiguration
	return &admin.RunningParts{Clean: c.s.cleanFiles, Work: admin.UserWork{
		ListUnfinished: c.s.db.Inbox().ListUnfinishedConversations,
		StopTurn:       func(int64) bool { return false },
		Evict:          func(context.Context, string) error { return nil },
	}}
}

// serve opens the parts, and answers on the control socket until the test ends.
func (c *commandLine) serve() {
	t := c.t
	t.Helper()
	cfg, err := readConfig(c.file)
	if err != nil {
		t.Fatal(err)
	}
	c.s = &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now}}
	for _, open := range []func(context.Context) error{c.s.openState, c.s.openStore, c.s.openModels, c.s.openPeople,
		c.s.openSeal} {
		if err := open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.s.confirmations = newConfirmations(c.s)
	newGate(c.s)
	c.s.services = services.New(services.Options{})
	c.s.calendar = calendar.New(calendar.Options{})
	service := admin.New(c.s.adminOptions())
	service.Running = c.newRunning()
	c.s.admins = service
	methods, err := c.s.methods(c.s.statusReporter())
	if err != nil {
		t.Fatal(err)
	}
	server, err := control.Listen(
		SocketPath(cfg),
		control.Options{People: c.s.people, Methods: methods, Log: logging.Discard()},
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() {
		ended <- runParts(ctx, []part{{"database", c.s.db.Run}, {"admin", service.Run}, {"control", server.Run}}, func() {})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := c.s.close(); err != nil {
			t.Error(err)
		}
	})
}

// run runs a command with lines on its standard input. It returns the command's output and exit
// code.
func (c *commandLine) run(lines string, args ...string) (out, errs string, code int) {
	c.t.Helper()
	cmd := exec.CommandContext(
		c.t.Context(),
		filepath.Join(apptest.BuildPrograms(c.t), "mews"),
		append(args, "--config", c.file)...)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// mustRun runs a command, and fails the test if the command fails.
func (c *commandLine) mustRun(args ...string) string {
	c.t.Helper()
	out, errs, code := c.run("", args...)
	if code != 0 {
		c.t.Fatalf("mews %s: exit %d, %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// mustFail checks that a command fails with a message that contains want.
func (c *commandLine) mustFail(want string, args ...string) {
	c.t.Helper()
	_, errs, code := c.run("", args...)
	if code == 0 || !strings.Contains(errs, want) {
		c.t.Errorf("mews %s: exit %d, said %q, want %q", strings.Join(args, " "), code, errs, want)
	}
}

// listUsers returns the users that `mews user list` prints, by name.
func (c *commandLine) listUsers() map[string]admin.Person {
	c.t.Helper()
	var list admin.People
	if err := json.Unmarshal([]byte(c.mustRun("user", "list", "--json")), &list); err != nil {
		c.t.Fatal(err)
	}
	byName := map[string]admin.Person{}
	for _, p := range list.Users {
		byName[p.Name] = p
	}
	return byName
}

// auditedActions lists the actions in the audit log that begin with prefix, each after its user.
func (c *commandLine) auditedActions(prefix string) (actions []string) {
	c.t.Helper()
	for line := range strings.Lines(c.mustRun("audit", "--json", "--action", prefix)) {
		var row admin.AuditLine
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			c.t.Fatal(err)
		}
		actions = append(actions, strings.TrimSpace(row.User+" "+row.Action))
	}
	return actions
}

// withAndWithoutService runs a test twice: with a running service, and without one.
func withAndWithoutService(t *testing.T, test func(*commandLine)) {
	for name, served := range map[string]bool{"beside a service": true, "alone": false} {
		t.Run(name, func(t *testing.T) { test(newCommandLine(t, served)) })
	}
}

func TestUserVerb_AddDisableEnableDelete_Works(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		out := c.mustRun("user", "add", "dan", "--timezone", "Europe/Madrid")
		if home := filepath.Join(c.dir, "state", "homes", "dan"); !strings.Contains(out, home) {
			c.t.Errorf("said %q, want the folder %s", out, home)
		}
		if dan := c.listUsers()["dan"]; dan.Configured || dan.Role != "user" || dan.Timezone != "Europe/Madrid" ||
			dan.Suspended {
			c.t.Errorf("added as %+v", dan)
		}
		if ann := c.listUsers()["ann"]; !ann.Configured || ann.Role != "admin" || ann.Budget.Day != 2_500_000 {
			c.t.Errorf("ann is %+v", ann)
		}
		c.mustFail("There is a person called dan already", "user", "add", "dan")
		c.mustFail("ben is in the configuration already", "user", "add", "ben")
		c.mustFail("a name is", "user", "add", "../x")
		c.mustFail("This machine has no account", "user", "add", "eve", "--account", "no-such-account")
		c.mustRun("user", "disable", "dan")
		if !c.listUsers()["dan"].Suspended {
			c.t.Error("dan is not disabled")
		}
		c.mustFail("may not speak for now", "user", "invite", "dan")
		c.mustRun("user", "enable", "dan")
		if c.listUsers()["dan"].Suspended {
			c.t.Error("dan is still disabled")
		}
		c.mustRun("user", "remove", "dan")
		if _, there := c.listUsers()["dan"]; there {
			c.t.Error("dan is still there")
		}
		c.mustFail("ben is in the configuration", "user", "remove", "ben")
		c.mustFail(`There is no user "dan"`, "user", "show", "dan")
		want := "dan user.added, dan user.disabled, dan user.enabled, dan user.removed"
		if got := strings.Join(c.auditedActions("user."), ", "); got != want {
			c.t.Errorf("audited %s, want %s", got, want)
		}
	})
}

func TestInvite_IsPrintedOnceAndRevocable(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		out := c.mustRun("user", "invite", "ann")
		code := regexp.MustCompile(`/start ([A-Z2-7]{26})\n`).FindStringSubmatch(out)
		if code == nil || !strings.Contains(out, "second factor") {
			c.t.Fatalf("printed %q", out)
		}
		if n := c.listUsers()["ann"].Invites; n != 1 {
			c.t.Errorf("%d invites are open, want 1", n)
		}
		if out := c.mustRun("user", "invite", "cleo"); strings.Contains(out, "second factor") {
			c.t.Errorf("cleo is to have no second factor, and was told %q", out)
		}
		for _, row := range c.auditedActions("") {
			if strings.Contains(row, code[1]) {
				c.t.Error("the code is in the audit log")
			}
		}
		if out := c.mustRun("user", "invite", "ann", "--revoke"); !strings.HasPrefix(out, "1 invite of ann") {
			c.t.Errorf("printed %q", out)
		}
		if n := c.listUsers()["ann"].Invites; n != 0 {
			c.t.Errorf("%d invites are open, want none", n)
		}
	})
}

func TestInvite_KnownBot_PrintsLink(t *testing.T) {
	c := newCommandLine(t, true)
	service := admin.New(c.s.adminOptions())
	service.Bot = func() string { return "mews_bot" }
	made, err := service.Invite(t.Context(), service.Caller(uint32(os.Getuid())), admin.InviteRequest{User: "ann"})
	if want := "https://t.me/mews_bot?start=" + made.Code; err != nil || made.Link != want || made.Code == "" {
		t.Errorf("made %+v, %v, want the link %s", made, err, want)
	}
}

func TestTOTPVerb_EnrolUnlockReset_Works(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		out, errs, code := c.run("hello\n000000x\n", "totp", "enroll", "ben")
		if code == 0 || !strings.Contains(errs, "is not active yet") ||
			strings.Count(out, "That is not a code") != 2 {
			c.t.Errorf("exit %d, said %q, printed %q", code, errs, out)
		}
		if n := len(regexp.MustCompile(`(?m)^  (?:[0-9A-Z]{4}-){6}[0-9A-Z]{2}$`).FindAllString(out, -1)); n != 10 {
			c.t.Errorf("%d recovery codes, want 10", n)
		}
		if got := c.listUsers()["ben"].Factor; got.State != admin.FactorUnconfirmed || got.Mode != "required" {
			c.t.Errorf("ben's factor is %+v", got)
		}
		c.mustFail("uses no second factor", "totp", "enroll", "cleo")

		// A code confirms the new second factor. The test calls the command's parts, because the
		// command shows the secret only on the screen.
		cfg, err := readConfig(c.file)
		if err != nil {
			c.t.Fatal(err)
		}
		made, err := CallAdminService[admin.EnrolledFactor](c.t.Context(), cfg, admin.MethodTotpEnroll,
			admin.UserRequest{User: "ben"})
		if err != nil {
			c.t.Fatal(err)
		}
		now, err := totp.GenerateCode(made.Secret, time.Now())
		if err != nil {
			c.t.Fatal(err)
		}
		v, err := CallAdminService[admin.CodeCheckResult](
			c.t.Context(),
			cfg,
			admin.MethodTotpConfirm,
			admin.ConfirmFactorRequest{User: "ben", Code: now},
		)
		if err != nil || !v.Right {
			c.t.Fatalf("the code %s was not right: %+v, %v", now, v, err)
		}
		if got := c.listUsers()["ben"].Factor.State; got != admin.FactorConfirmed {
			c.t.Errorf("ben's factor is %s", got)
		}
		c.mustFail("ben has a second factor already", "totp", "enroll", "ben")

		// five wrong codes lock the second factor, and an admin unlocks it
		for range 5 {
			v, err = CallAdminService[admin.CodeCheckResult](
				c.t.Context(),
				cfg,
				admin.MethodTotpConfirm,
				admin.ConfirmFactorRequest{User: "ben", Code: wrongCode(c.t, made.Secret)},
			)
			if err != nil || v.Right {
				c.t.Fatalf("%+v, %v", v, err)
			}
		}
		if !v.Over || c.listUsers()["ben"].Factor.LockedUntil.IsZero() ||
			!strings.Contains(c.mustRun("totp", "status", "ben"), "LOCKED until") {
			c.t.Errorf("after five wrong codes: %+v, %+v", v, c.listUsers()["ben"].Factor)
		}
		c.mustRun("totp", "unlock", "ben")
		if !c.listUsers()["ben"].Factor.LockedUntil.IsZero() {
			c.t.Error("it is still locked")
		}
		if out := c.mustRun("totp", "reset", "ben"); !strings.Contains(out, "They can't speak until they have another") {
			c.t.Errorf("said %q", out)
		}
		if got := c.listUsers()["ben"].Factor.State; got != admin.FactorNone {
			c.t.Errorf("after the reset it is %s", got)
		}
		want := []string{
			"ben totp.offered",
			"ben totp.refused",
			"ben totp.refused",
			"ben totp.offered",
			"ben totp.enrolled",
			"ben totp.refused",
			"ben totp.refused",
			"ben totp.refused",
			"ben totp.refused",
			"ben totp.locked",
			"ben totp.unlocked",
			"ben totp.reset",
		}
		if got := strings.Join(c.auditedActions("totp."), ", "); got != strings.Join(want, ", ") {
			c.t.Errorf("audited %s", got)
		}
	})
}

// wrongCode returns a code that is not valid now, nor shortly before or after.
func wrongCode(t *testing.T, secret string) string {
	t.Helper()
	taken := map[string]bool{}
	for step := -3; step <= 3; step++ {
		code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(step)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		taken[code] = true
	}
	for i := range 10 {
		if code := fmt.Sprintf("%06d", i); !taken[code] {
			return code
		}
	}
	t.Fatal("every code is right")
	return ""
}

// A user without Telegram gets the notice in the terminal.
func TestSecondFactor_Reset_TellsUser(t *testing.T) {
	c := newCommandLine(t, true)
	var told []supervisor.Delivery
	service := admin.New(c.s.adminOptions())
	service.Say = func(_ context.Context, d supervisor.Delivery) (supervisor.Delivery, error) {
		told = append(told, d)
		d.Conversation.ID = 7
		return d, nil
	}
	var rung []int64
	service.Queued = func(id int64) { rung = append(rung, id) }
	by := service.Caller(uint32(os.Getuid()))
	if _, err := service.EnrollUser(t.Context(), by, admin.UserRequest{User: "ann"}); err != nil {
		t.Fatal(err)
	}
	held, err := c.s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "x",
		Items: []supervisor.BatchItem{{
			Inbound: supervisor.Inbound{
				Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal},
				Key:          "k",
				Kind:         supervisor.KindText,
				Text:         "hello",
			},
			Decision: supervisor.GateDecision{
				Check: &supervisor.GateCheck{IdleTimeout: time.Hour, Lifetime: time.Hour, Challenge: "Locked."},
			}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.ResetFactor(t.Context(), by, admin.UserRequest{User: "ann"}); err != nil {
		t.Fatal(err)
	}
	if want := []int64{held.Stored[0].Conversation.ID, 7}; !slices.Equal(rung, want) {
		t.Errorf("rang %v, want %v: what was held is answered, and she is told", rung, want)
	}
	if len(told) != 1 || told[0].Conversation.Channel != supervisor.ChannelTerminal ||
		told[0].Conversation.User != "ann" {
		t.Errorf("told %+v, rang %v", told, rung)
	}
	if done, err := service.ResetFactor(t.Context(), by, admin.UserRequest{User: "ann"}); err != nil ||
		len(told) != 1 ||
		done.Text != "ann has no second factor." {
		t.Errorf("a second time: %+v, %v, told %d times", done, err, len(told))
	}
}

// Only admins may call methods about other users.
func TestAdminCalls_PlainUser_SeeOnlyOwnData(t *testing.T) {
	c := newCommandLine(t, true)
	service := admin.New(c.s.adminOptions())
	people := admin.Caller{UID: 4711}
	if _, err := service.ListPeople(t.Context(), people, admin.UserRequest{}); supervisor.ErrorCodeOf(
		err,
	) != supervisor.CodeForbidden {
		t.Errorf("a stranger: %v", err)
	}
	if _, err := service.ListPeople(t.Context(), people, admin.UserRequest{User: "ann"}); supervisor.ErrorCodeOf(
		err,
	) != supervisor.CodeForbidden {
		t.Errorf("a stranger about ann: %v", err)
	}
	table, err := api.New(api.Options{People: c.s.people}, service.ControlCalls())
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range service.ControlCalls() {
		method := call.Name
		if method == admin.MethodUserList || method == admin.MethodUserExport || method == admin.MethodTotpEnroll ||
			method == admin.MethodTotpConfirm {
			continue
		}
		req := request(t, method, map[string]any{})
		if _, err := table.Methods()[method](t.Context(), 4711, req); supervisor.ErrorCodeOf(
			err,
		) != supervisor.CodeForbidden ||
			!call.AdminsOnly {
			t.Errorf("%s for somebody who is no admin: %v", method, err)
		}
	}
}

func TestAuditLog_IsListedAndVerified(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		c.mustRun("user", "add", "dan")
		c.mustRun("user", "disable", "dan")
		lines := strings.Split(strings.TrimSpace(c.mustRun("audit", "--limit", "1", "--user", "dan")), "\n")
		if len(lines) != 1 || !strings.Contains(lines[0], "user.disabled") || !strings.Contains(lines[0], "user id") {
			c.t.Errorf("the newest is %q", lines)
		}
		if out := c.mustRun("audit", "--since", "2000-01-01", "--action", "user.a"); strings.Count(out, "\n") != 1 {
			c.t.Errorf("printed %q", out)
		}
		out := c.mustRun("audit", "verify")
		head := regexp.MustCompile(`(?m)^head  ([0-9a-f]{64})$`).FindStringSubmatch(out)
		if head == nil || !strings.HasPrefix(out, "2 rows, ") {
			c.t.Fatalf("printed %q", out)
		}
		c.mustRun("audit", "verify", "--head", head[1])
		c.mustFail("from row 3 on", "audit", "verify", "--head", strings.Repeat("0", 64))
		c.mustFail("want 64 hexadecimal digits", "audit", "verify", "--head", "abc")
		c.mustFail("want a time such as", "audit", "--since", "soon")
	})
}

// The log is printed in pages, with the newest entries last.
func TestAuditLog_ManyEntries_PrintsPages(t *testing.T) {
	c := newCommandLine(t, true)
	var rows []sqlite.AuditEntry
	for i := range 1200 {
		rows = append(
			rows,
			sqlite.AuditEntry{User: "ann", Action: "test", Detail: fmt.Sprint(i, strings.Repeat("x", 1000))},
		)
	}
	if err := c.s.db.Audit().AppendAll(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if got := len(c.auditedActions("test")); got != 100 {
		t.Errorf("%d rows, want the newest 100", got)
	}
	out := c.mustRun("audit", "--limit", "0")
	if n := strings.Count(out, "\n"); n != 1200 || !strings.Contains(out, "  1199x") {
		t.Errorf("%d rows, want all 1200", n)
	}
}

func TestReload_PrintsChanges(t *testing.T) {
	for want, c := range map[string]admin.ConfigurationChange{
		"a: 2, it was 1":               {Key: "a", Old: "1", New: "2"},
		"a: none any more, it was 1":   {Key: "a", Old: "1"},
		"a: 2":                         {Key: "a", New: "2"},
		"access.key_file: another one": {Key: "access.key_file", Old: "***", New: "***"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
}

// The service could not change files that root created in its state folder. So root acts as the
// folder's owner.
func TestVerb_ForeignStateFolder_RootActsAsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	c := newCommandLine(t, false)
	c.mustRun("user", "list")
	state := filepath.Join(c.dir, "state")
	must(t, errors.Join(os.Chmod(c.dir, 0o711), os.Chmod(filepath.Dir(c.dir), 0o711)))
	must(t, exec.CommandContext(t.Context(), "chown", "-R", "4711:4711", state).Run())
	c.mustRun("user", "add", "dan")
	if _, there := c.listUsers()["dan"]; !there {
		t.Error("dan was not added")
	}
	must(t, filepath.WalkDir(state, func(path string, e fs.DirEntry, err error) error {
		if info, bad := e.Info(); bad != nil || placement.OwnerUID(info) != 4711 {
			t.Errorf("%s is not the owner's: %v", path, bad)
		}
		return err
	}))
}

func TestSubcommand_WrongUse_PrintsUsage(t *testing.T) {
	c := newCommandLine(t, false)
	c.mustFail("needs NAME", "user", "show")
	c.mustFail(`takes no argument "b"`, "user", "show", "a", "b")
	c.mustFail(`there is no subcommand "fly"`, "user", "fly")
	c.mustFail("mews totp enroll NAME", "totp")
	if _, err := os.Stat(filepath.Join(c.dir, "state")); err == nil {
		t.Error("a state folder was made")
	}
}

func request(t *testing.T, method string, params any) *protocol.Request {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return &protocol.Request{Method: method, Params: text}
}
