package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/worker/sandbox/escape"
	"mews/worker/sandbox/escape/escapetest"
)

// Names of the test binary's roles. The binary plays the role of the name by which it is executed.
// Stage one gives a worker its name.
const (
	testSpawnerName = "mews-test-spawner"
	workerName      = "mews-worker"
	rowName         = "mews-row"
	victimName      = "mews-victim"
	uidName         = "mews-uid"
)

var names = map[string]func() error{
	testSpawnerName: actSpawner,
	workerName:      actWorker,
	rowName:         actRow,
	victimName:      actVictim,
	uidName:         printUID,
	parserName:      actParser,
	killerName:      actKiller,
	forkerName:      actForker,
}

// runByName runs the role of the binary's name. For any other name it returns. In the role of stage
// one it may skip some walls.
func runByName() {
	removeWalls()
	play, ok := names[filepath.Base(os.Args[0])]
	if !ok {
		return
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, os.Args[0]+":", err)
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// workerSetup tells how to start a worker that faces the victims of a testHost.
type workerSetup struct {
	privilege Privilege
	tier      Tier
	without   []string // names of the walls to remove from the worker
}

// Variables that a spawner of the tests removes from its environment. All other variables are a
// plan.
const (
	powerVariable  = "MEWS_TEST_POWER"
	wallsVariable  = "MEWS_TEST_WITHOUT"
	secretVariable = "MEWS_TEST_SECRET"
)

// takeVariable takes a variable out of the environment.
func takeVariable(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // can't fail: the name is valid
	return value
}

// spawnerCaps are the capabilities that a service manager gives a spawner, by its privilege.
var spawnerCaps = map[Privilege][]uintptr{
	PrivilegeSetID: {unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL},
	PrivilegeMount: {unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP,
		unix.CAP_DAC_READ_SEARCH},
}

// actSpawner starts the worker of the plan in its environment, with its own descriptors 0 to 2, and
// waits for its end.
func actSpawner() error {
	runtime.LockOSThread()
	// The kernel kills children of this process first when memory runs out. Behind the walls a
	// process cannot raise its own score any longer.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return err
	}
	privilege, without, secret := Privilege(takeVariable(powerVariable)), takeVariable(wallsVariable), takeVariable(secretVariable)
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	home, err := unix.Open(p.Home.path(), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the home: %w", err)
	}
	program, err := unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the worker: %w", err)
	}
	folder, err := unix.Open(p.History.path(), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the history: %w", err)
	}
	history, err := p.PassHistory(folder, privilege)
	if err != nil {
		return fmt.Errorf("pass the history: %w", err)
	}
	launch, err := p.NewLaunch(privilege)
	if err != nil {
		return err
	}
	launch.History = uintptr(max(history, 0))
	if without != "" {
		removeNamespaces(&launch.Attr, strings.Split(without, ","))
		launch.Env = append(launch.Env, wallsVariable+"="+without, secretVariable+"="+secret)
	}
	pid, err := launch.StartStageOne(home, 0, 1, 2, uintptr(program))
	if err != nil {
		return err
	}
	// only the worker may keep the protocol's descriptors
	if err := errors.Join(unix.Close(0), unix.Close(1)); err != nil {
		return err
	}
	return waitExit(pid)
}

// attacker is a worker behind its walls that tries escapes. It is a child of its spawner.
type attacker struct {
	cmd       *exec.Cmd
	questions *os.File
	answers   *os.File
	lines     *bufio.Reader
	said      bytes.Buffer
}

// plan returns the plan of a setup's worker.
func (y *testHost) plan(s workerSetup) Plan {
	y.t.Helper()
	home, fd, err := OpenBindMount(filepath.Split(y.home))
	y.must(err)
	y.must(unix.Close(fd))
	history, fd, err := OpenHistory(filepath.Split(y.victims.History))
	y.must(err)
	y.must(unix.Close(fd))
	p := Plan{
		Tier: s.tier, Profile: ProfileWorker, Worker: y.program, Home: home, History: history,
		UID: y.people.person, GID: y.people.person,
	}
	if s.tier == TierLandlock { // the limit counts all of the account's processes
		p.Limits.PIDs = p.Limits.withDefaults().PIDs + tasksOf(y.people.person)
	}
	return p
}

// tasksOf counts the threads of an account.
func tasksOf(uid int) (n int) {
	tasks, _ := filepath.Glob("/proc/[0-9]*/task/*") // can't fail: the pattern is valid
	for _, task := range tasks {
		var st unix.Stat_t
		if unix.Stat(task, &st) == nil && int(st.Uid) == uid {
			n++
		}
	}
	return n
}

// start starts the worker of a setup. The worker's first answer shows whether it has started.
func (y *testHost) start(s workerSetup) *attacker {
	y.t.Helper()
	spawner := map[Privilege]int{PrivilegeNone: y.people.person, PrivilegeRoot: 0}
	uid, ok := spawner[s.privilege]
	if !ok {
		uid = serviceUID
	}
	w := &attacker{cmd: exec.Command(y.program)}
	w.cmd.Args = []string{testSpawnerName}
	w.cmd.Env = append(y.plan(s).Environ(), powerVariable+"="+string(s.privilege), wallsVariable+"="+strings.Join(s.without, ","),
		secretVariable+"="+y.victims.Secret)
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credentialOf(uid), AmbientCaps: spawnerCaps[s.privilege]}
	w.cmd.Stderr = &w.said
	null, err := os.Open(os.DevNull)
	y.must(err)
	defer null.Close()
	w.cmd.ExtraFiles = []*os.File{null, null, null} // descriptor 5 must not be inherited
	theirs := y.connect(w, slices.Contains(s.without, wallSocket))
	y.must(w.cmd.Start())
	for _, f := range theirs {
		y.must(f.Close())
	}
	return w
}

// connect gives the worker its standard input and output: one socket, as for a real worker, or two
// pipes.
func (y *testHost) connect(w *attacker, pipes bool) (theirs []*os.File) {
	y.t.Helper()
	if pipes {
		in, ask, err := os.Pipe()
		y.must(err)
		answer, out, err := os.Pipe()
		y.must(err)
		for _, f := range []*os.File{in, out} { // the pipes belong to the worker's account
			y.must(f.Chown(y.people.person, y.people.person))
		}
		w.cmd.Stdin, w.cmd.Stdout, w.questions, w.answers = in, out, ask, answer
		theirs = []*os.File{in, out}
	} else {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		y.must(err)
		y.must(unix.SetNonblock(pair[0], true))
		w.questions = os.NewFile(uintptr(pair[0]), "worker")
		w.answers = w.questions
		theirs = []*os.File{os.NewFile(uintptr(pair[1]), "tests")}
		w.cmd.Stdin, w.cmd.Stdout = theirs[0], theirs[0]
	}
	w.lines = bufio.NewReader(w.answers)
	y.must(w.answers.SetReadDeadline(time.Now().Add(waiting)))
	return theirs
}

// Time limits of a worker for all its escapes, and for one escape. Only a defect reaches these
// limits.
const (
	waiting    = 2 * time.Minute
	rowWaiting = 30 * time.Second
)

// try makes the worker try an escape in a child. The way is "" for a plain attempt, asTool for an
// attempt by a tool, or the names of walls inside the worker to remove.
func (w *attacker) try(row, way string, v escape.Victims) (escape.Report, error) {
	if _, err := fmt.Fprintf(w.questions, "%s %q %s\n", row, way, v.Encode()); err != nil {
		return escape.Report{}, err
	}
	line, err := w.lines.ReadString('\n')
	if err != nil {
		return escape.Report{}, fmt.Errorf("%s: the worker is gone: %w", row, err)
	}
	return escape.DecodeReport(strings.TrimSuffix(line, "\n"))
}

// end ends the worker, and waits until all its processes are gone, except escaped processes.
func (w *attacker) end() error {
	err := w.questions.Close()
	if w.answers != w.questions {
		err = errors.Join(err, w.answers.Close())
	}
	if ended := w.cmd.Wait(); ended != nil {
		err = errors.Join(fmt.Errorf("%w: %s", ended, strings.TrimSpace(w.said.String())), err)
	}
	return err
}

// try makes one worker of the setup try the escapes in rows. An error explains why some escapes
// were not tried.
func (y *testHost) try(s workerSetup, way string, rows []string) ([]escape.Report, error) {
	y.t.Helper()
	v := y.victims
	v.Marker = s.tier.HomePath(y.home) + "/marker"
	if slices.Contains(s.without, wallRoot) {
		v.Marker = filepath.Join(y.home, "marker")
	}
	w := y.start(s)
	var findings []escape.Report
	var err error
	for _, row := range rows {
		var f escape.Report
		if f, err = w.try(row, way, v); err != nil {
			break
		}
		findings = append(findings, f)
	}
	if ended := w.end(); err != nil || ended != nil {
		return findings, errors.Join(ended, err)
	}
	for i, f := range findings {
		if f.Row == "X1" && f.Outcome == escape.OutcomeUntried {
			findings[i] = y.daemonFinding()
		}
	}
	return findings, nil
}

// daemonFinding returns the result of escape X1, a daemon, after the worker's end. It ends a daemon
// that still lives.
func (y *testHost) daemonFinding() escape.Report {
	pid, err := escapetest.FindLockHolder(filepath.Join(y.home, "marker"))
	switch {
	case err != nil:
		return escape.Report{Row: "X1", Outcome: escape.OutcomeUntried, Detail: err.Error()}
	case pid == 0:
		return escape.Report{Row: "X1", Outcome: escape.OutcomeStopped, Detail: "the daemon is gone"}
	}
	y.endDaemon(pid)
	return escape.Report{Row: "X1", Outcome: escape.OutcomeEscaped, Detail: fmt.Sprintf("the daemon lives on as pid %d",
		pid)}
}

// asTool tries an escape as a tool would: in a program behind the second layer of walls.
const (
	asTool      = "tool"
	toolProgram = "program"
)

// actWorker tries escapes, each in a separate child, until its input ends. It hides the protocol as
// mews-worker does.
func actWorker() error {
	if isReader() {
		return actReader()
	}
	inherited, err := TakeInherited()
	if err != nil {
		return err
	}
	in, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	out, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	if err := hideProtocol(); err != nil {
		return err
	}
	inside := NewToolStarter(Tier(takeVariable(TierVariable)), inherited.ToolRules)
	answers := os.NewFile(uintptr(out), "answers")
	lines := bufio.NewScanner(os.NewFile(uintptr(in), "questions"))
	for lines.Scan() {
		if start := starters[lines.Text()]; start != nil {
			if _, err := fmt.Fprintln(answers, start(inside)); err != nil {
				return err
			}
			continue
		}
		row, way, victims, err := parseQuestion(lines.Text())
		if err != nil {
			return err
		}
		revealProtocol(way, in, out)
		if err := leakHistory(inherited.History, strings.Contains(way, wallClosed)); err != nil {
			return err
		}
		f := tryInChild(inside, row, way, victims)
		if err := hideProtocol(); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(answers, f.Encode()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseQuestion parses a line that attacker.try has written.
func parseQuestion(line string) (row, way, victims string, err error) {
	row, rest, _ := strings.Cut(line, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err == nil {
		way, err = strconv.Unquote(quoted)
	}
	if err != nil {
		return "", "", "", fmt.Errorf("read the way of row %s: %w", row, err)
	}
	return row, way, strings.TrimPrefix(rest[len(quoted):], " "), nil
}

// hideProtocol replaces the protocol's descriptors by /dev/null. It keeps processes of the same
// account from reading this process.
func hideProtocol() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 2 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// revealProtocol undoes hideProtocol for one escape, as far as the parameter way says. A failure
// shows in the result of the escape.
func revealProtocol(way string, in, out int) {
	if strings.Contains(way, wallMoved) {
		_ = unix.Dup3(in, 0, 0)
		_ = unix.Dup3(out, 1, 0)
	}
	if strings.Contains(way, wallPrivate) {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
	}
}

// leakHistory makes children inherit the folder of the history if leak is set.
func leakHistory(folder *os.File, leak bool) error {
	if folder == nil {
		return nil
	}
	flags := unix.FD_CLOEXEC
	if leak {
		flags = 0
	}
	_, err := unix.FcntlInt(folder.Fd(), unix.F_SETFD, flags)
	return err
}

// startProgram starts a row's attempt as a program of the worker. The parameter way names walls
// that this program lacks. Without the worker's own root the second layer has the rules of
// landlockOnHost.
func startProgram(inside *ToolStarter, cmd *exec.Cmd, way string) error {
	switch {
	case strings.Contains(way, wallProgram):
		return cmd.Start()
	case inside.tier.AtLeast(TierNamespaces) && strings.Contains(way, wallRoot):
		return inside.start(cmd, &inside.probeLayer, func(version int) (int, error) {
			return newRuleset(version, append(rulesOnHost(), ownProgramRule))
		})
	}
	return inside.StartProbe(cmd)
}

// tryInChild makes a child try the escape row. The attempt may kill the child.
func tryInChild(inside *ToolStarter, row, way, victims string) escape.Report {
	ctx, cancel := context.WithTimeout(context.Background(), rowWaiting)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args, cmd.Stdout, cmd.Stderr = []string{rowName, row, victims}, &out, &out
	cmd.WaitDelay = time.Second
	start := cmd.Start
	if p, ok := escape.FindProbe(row); ok && p.Program {
		start = func() error { return startProgram(inside, cmd, way) }
	}
	if strings.Contains(way, asTool) {
		cmd.Path = filepath.Join(os.Getenv("HOME"), toolProgram)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		start = func() error { return inside.Start(cmd) }
	}
	if strings.Contains(way, wallInput) {
		cmd.Stdin = os.Stdin
	}
	if err := start(); err != nil {
		return escape.Report{Row: row, Outcome: escape.OutcomeUntried, Detail: "it was not started: " + err.Error()}
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return escape.Report{Row: row, Outcome: escape.OutcomeUntried, Detail: "it took too long"}
	}
	if err != nil {
		return escape.NewDeathReport(row, fmt.Sprintf("%v: %.200q", err, out.String()))
	}
	f, err := escape.DecodeReport(strings.TrimSuffix(out.String(), "\n"))
	if err != nil {
		return escape.Report{Row: row, Outcome: escape.OutcomeUntried, Detail: err.Error()}
	}
	return f
}

// actRow tries the escape that its arguments name.
func actRow() error {
	v, err := escape.DecodeVictims(os.Args[2])
	if err != nil {
		return err
	}
	f, ok := tryExtra(os.Args[1], v)
	if !ok {
		f = escape.TryProbe(os.Args[1], v)
	}
	_, err = fmt.Println(f.Encode())
	return err
}

// scenario is a setup for the escapes, and the escapes that are known to succeed there.
type scenario struct {
	name   string
	setup  workerSetup
	people func() accounts
	way    string
	rows   func(escape.Probe) bool
	known  []string
}

// allRows selects the escapes that walls stop. Tests of package spawn try the escapes that only a
// watchdog ends.
func allRows(p escape.Probe) bool { return !p.Watched }

// quickRows selects the escapes of the self-test, and those that depend on how a spawner starts a
// worker.
func quickRows(p escape.Probe) bool {
	return p.Core || slices.Contains([]string{"K12", "F6", "P1", "P8", "S2", "R1", "R2", "X1"}, p.Row)
}

// lightRows selects the escapes that a second layer of walls could change, without bombs.
func lightRows(p escape.Probe) bool { return !p.Heavy && !p.Watched }

// Escapes that are known to succeed. F16 can only identify a machine and its boot. Without a
// process namespace a worker can list other processes and the names of their descriptors, and a
// daemon outlives its worker until the spawner's sweep. Without its own root a worker can open the
// host's terminals, which the spawner's watchdog counts. Without its own mounts a file history has
// a path, and Landlock does not govern modes and times.
var (
	knownBehindNamespaces = []string{"F16"}
	knownBehindLandlock   = []string{"F6", "F14", "F16", "H3", "H4", "Q5", "X1"}
)

// scenarios returns the scenarios that this process can run. Root can run all scenarios. Other
// accounts can run only the scenarios with their account.
func scenarios() []scenario {
	shared := func() accounts { return sharedAccount(sharedUID) }
	own := func() accounts { return sharedAccount(os.Getuid()) }
	if os.Getuid() != 0 {
		shared = own
	}
	list := []scenario{
		{"namespaces", workerSetup{privilege: PrivilegeNone, tier: TierNamespaces}, shared, "", allRows, knownBehindNamespaces},
		{"namespaces-tool", workerSetup{privilege: PrivilegeNone, tier: TierNamespaces}, shared, asTool, lightRows, knownBehindNamespaces},
		{"landlock", workerSetup{privilege: PrivilegeNone, tier: TierLandlock}, shared, "", allRows, knownBehindLandlock},
		{"landlock-tool", workerSetup{privilege: PrivilegeNone, tier: TierLandlock}, shared, asTool, lightRows, knownBehindLandlock},
	}
	if os.Getuid() != 0 {
		return list
	}
	return append(list,
		scenario{"accounts", workerSetup{privilege: PrivilegeRoot, tier: TierAccounts}, ownAccounts, "", allRows, knownBehindNamespaces},
		scenario{"accounts-tool", workerSetup{privilege: PrivilegeRoot, tier: TierAccounts}, ownAccounts, asTool, lightRows, knownBehindNamespaces},
		scenario{"accounts-switch", workerSetup{privilege: PrivilegeSetID, tier: TierAccounts}, ownAccounts, "", quickRows, knownBehindNamespaces},
		scenario{"accounts-mount", workerSetup{privilege: PrivilegeMount, tier: TierAccounts}, ownAccounts, "", quickRows, knownBehindNamespaces},
		scenario{"landlock-accounts", workerSetup{privilege: PrivilegeRoot, tier: TierLandlock}, ownAccounts, "", quickRows, knownBehindLandlock},
	)
}

// TestEscapes_EachTier_StopsItsProbes makes a worker of each tier try all escapes against real
// victims.
func TestEscapes_EachTier_StopsItsProbes(t *testing.T) {
	program := plainBinary(t)
	found := map[string]map[string]escape.Outcome{}
	for _, c := range scenarios() {
		found[c.name] = map[string]escape.Outcome{}
		t.Run(c.name, func(t *testing.T) {
			for _, f := range c.tried(t, program) {
				found[c.name][f.Row] = f.Outcome
				t.Run(f.Row, func(t *testing.T) { c.compare(t, f) })
			}
		})
	}
	if os.Getuid() == 0 && runtime.GOARCH == "amd64" && !t.Failed() { // escape K16 exists only on amd64
		compareDocument(t, document(found))
	}
}

func (c scenario) tried(t *testing.T, program string) []escape.Report {
	t.Helper()
	var rows []string
	for _, p := range escape.AllProbes() {
		if c.rows(p) {
			rows = append(rows, p.Row)
		}
	}
	y := newTestHost(t, program, c.people())
	findings, err := y.try(c.setup, c.way, rows)
	if err != nil {
		t.Fatalf("the worker behind the walls: %v", err)
	}
	y.nothingLeft()
	for _, f := range findings {
		t.Logf("%s: %-4s %-8s %s", c.name, f.Row, f.Outcome, f.Detail)
	}
	return findings
}

// compare compares the result of an escape with the expected result.
func (c scenario) compare(t *testing.T, f escape.Report) {
	want := escape.OutcomeStopped
	switch {
	case slices.Contains(c.known, f.Row):
		want = escape.OutcomeEscaped
	case f.Row == "K16" && runtime.GOARCH != "amd64", f.Row == "S2" && os.Getuid() != 0:
		want = escape.OutcomeUntried
	}
	if f.Outcome != want {
		t.Errorf("%s: %s (%s), want %s", f.Row, f.Outcome, f.Detail, want)
	}
}
