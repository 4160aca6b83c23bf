package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
)

// TestScripts_EachScenario_MatchesOutput runs the scenarios of testdata/script: commands of a user,
// with the three real programs. Each scenario has its own folder, with the programs in bin/, a
// HOME, and the service's state in state/mews.
func TestScripts_EachScenario_MatchesOutput(t *testing.T) {
	apptest.BuildPrograms(t) // builds the programs before the first scenario's time begins
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               newScriptEnv,
		Condition:           scriptCondition,
		Cmds:                scriptCommands,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		// writes the real output into the scripts
		UpdateScripts: os.Getenv("MEWS_UPDATE_SCRIPTS") != "",
	})
}

type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

// scriptCommands are the scenarios' commands besides those of testscript.
var scriptCommands = map[string]scriptCommand{
	// The service:
	//
	//	serve            starts `mews run` in the background and waits until it answers
	//	stop-service     stops the service as a service manager does, which must succeed
	//	kill-supervisor  kills the supervisor; all other processes must end by themselves
	//	kill-worker      kills the worker of a user
	"serve":           command("[FLAG] ...", (*scriptEnv).serve),
	"stop-service":    command("", (*scriptEnv).stopService),
	"kill-supervisor": command("", (*scriptEnv).killSupervisor),
	"kill-worker":     command("USER", (*scriptEnv).killWorker),

	// Programs and files:
	//
	//	no-processes  checks that the scenario's programs end within two seconds
	//	eventually    waits until a program prints a pattern
	//	small-disk    mounts a small file system
	"no-processes": command("", (*scriptEnv).noProcesses),
	"eventually":   command("PATTERN PROGRAM [ARGUMENT] ...", (*scriptEnv).eventually),
	"small-disk":   command("FOLDER MIB", (*scriptEnv).smallDisk),

	// The model, an endpoint at MODEL_URL that follows one of modelScripts:
	//
	//	hold        holds the requests with the given number of tool results since their turn
	//	            began: before the answer, until release; or without end, after the given
	//	            number of the answer's bytes
	//	await-held  waits for a held request
	"model":      command("SCRIPT", (*scriptEnv).startModel),
	"stop-model": command("", (*scriptEnv).stopModel),
	"hold":       modelCommand("RESULTS [BYTES]", (*scriptModel).hold),
	"await-held": modelCommand("", (*scriptModel).awaitHeld),
	"release":    modelCommand("", (*scriptModel).release),

	// A program in a terminal:
	//
	//	type            types keys as Go writes them: \r is Enter, \x03 Ctrl-C, \x04 Ctrl-D
	//	see             waits for output, in order
	//	leave-terminal  waits for the program's end, which must be a success
	"terminal":       command("PROGRAM [ARGUMENT] ...", (*scriptEnv).openTerminal),
	"type":           terminalCommand("KEYS", (*scriptTerminal).typeKeys),
	"see":            terminalCommand("PATTERN", (*scriptTerminal).awaitShown),
	"leave-terminal": terminalCommand("", (*scriptTerminal).awaitExit),

	// Telegram, a Bot API server at BOT_URL with the bot of BOT_TOKEN. With FILES it works as if
	// started with --local, and puts files into that folder. Its webhook may listen at HOOK. WHO is
	// NAME in private, NAME@GROUP or NAME@GROUP/TOPIC. MEDIA is KIND or KIND=VALUE; botMedia has
	// the kinds.
	//
	//	says     sends a message
	//	aside    sends a message that is not for the bot and must not be kept
	//	replies  answers the newest message with TO in it
	//	edits    changes the sender's newest message with TEXT
	//	thumbs   reacts to the newest message of the bot with TEXT in it
	//	taken    waits until the service has taken all updates
	//	chat     waits until the new messages of a chat are equal to a file
	//	shows    waits until a chat matches a pattern
	//	reacts   waits until a message has a reaction
	//	noted    waits until the service knows the outcome of each message that it sent
	//	settled  waits until all work is done; every chat must be as `chat` last saw it
	"telegram": command("[FILES]", (*scriptEnv).startTelegram),
	"says":     botCommand("WHO TEXT [MEDIA] ...", (*scriptBot).say),
	"aside":    botCommand("WHO TEXT [MEDIA] ...", (*scriptBot).aside),
	"replies":  botCommand("WHO TO TEXT [MEDIA] ...", (*scriptBot).reply),
	"edits":    botCommand("WHO TEXT NEW [MEDIA] ...", (*scriptBot).edit),
	"thumbs":   botCommand("WHO TEXT EMOJI", (*scriptBot).thumbs),
	"taken":    botCommand("", (*scriptBot).awaitTaken),
	"chat":     botCommand("CHAT FILE", (*scriptBot).awaitChat),
	"shows":    botCommand("CHAT PATTERN", (*scriptBot).awaitShown),
	"reacts":   botCommand("CHAT TEXT EMOJI", (*scriptBot).awaitReaction),
	"noted":    botCommand("", (*scriptBot).awaitOutcomes),
	"settled":  botCommand("", (*scriptBot).awaitSettled),

	// Another program, which calls the public listener at HOOK. The value SIGNED:SECRET of a header
	// is replaced by the file's signature.
	"call": command("PATH FILE STATUS [HEADER=VALUE] ...", (*scriptEnv).call),

	// Buttons and codes:
	//
	//	silent  checks that the bot has never done anything in a chat
	//	press   presses the newest button with a label in the user's chat
	//	toast   presses a button of another user, and checks the text that is shown
	//	take    puts a group of a pattern's newest match in a chat into a variable
	//	keep    puts a group of a pattern in the last output into a variable
	//	code    puts the current code of a secret into CODE
	"silent": botCommand("CHAT", checkSilent),
	"press":  botCommand("WHO LABEL", pressButton),
	"toast":  botCommand("WHO LABEL TEXT", pressForeign),
	"take":   botCommand("VARIABLE CHAT PATTERN", takeShown),
	"code":   command("SECRET", takeCode),
	"keep":   command("VARIABLE PATTERN", takePrinted),

	// Events of Telegram:
	//
	//	fault  makes Telegram fail in one of telegramtest's ways, until mend
	//	bot    makes something happen to the bot
	//	calls  waits until a method was called N times, or at least N times (N+), with a parameter
	//	post   checks the webhook's answer to a request with a secret
	"fault": botCommand("KIND [NAME=VALUE] ...", (*scriptBot).fault),
	"mend":  botCommand("", (*scriptBot).mend),
	"bot":   botCommand("EVENT [ARGUMENT] ...", (*scriptBot).event),
	"calls": botCommand("METHOD N[+] [NAME=VALUE]", (*scriptBot).awaitCalls),
	"post":  botCommand("SECRET FILE STATUS", (*scriptBot).post),

	// GitHub, a server at GITHUB_URL with the token of GITHUB_TOKEN and the repository acme/widget:
	//
	//	opens     opens an issue
	//	proposes  opens a pull request that adds a file
	//	reviews   checks the number of a pull request's reviews
	//	hooked    sets the address that the repository's webhook calls, such as HOOK
	//	permits   gives an account a permission
	//	stands    waits until an issue is equal to a file
	//	pushes    pushes a file to a branch, and opens a pull request if the branch is new
	//	comments  comments on an issue or a pull request
	//	reviewed  waits until a pull request's reviews are equal to a file and the mails were sent
	"github":   command("[PERMISSION=LEVEL] ...", (*scriptEnv).startGitHub),
	"opens":    hubCommand("WHO TITLE [BODY]", (*scriptHub).openIssue),
	"proposes": hubCommand("WHO TITLE FILE", (*scriptHub).openPull),
	"reviews":  hubCommand("NUMBER N", (*scriptHub).checkReviewCount),
	"hooked":   hubCommand("ADDRESS SECRET", (*scriptHub).setHook),
	"permits":  hubCommand("WHO PERMISSION", (*scriptHub).permit),
	"stands":   hubCommand("NUMBER FILE", (*scriptHub).awaitIssue),
	"pushes":   hubCommand("WHO BRANCH FILE", (*scriptHub).push),
	"comments": hubCommand("NUMBER WHO TEXT", (*scriptHub).comment),
	"reviewed": hubCommand("NUMBER MAILS FILE", (*scriptHub).awaitReviews),
}

// command makes a script command of a function. In the usage, a word in brackets is optional, and
// ... allows any number of further words.
func command(usage string, run func(*scriptEnv, *testscript.TestScript, []string)) scriptCommand {
	words := strings.Fields(usage)
	many := strings.Contains(usage, "...")
	least := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "..." || w[0] == '[' }))
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || !many && len(args) > len(words) {
			ts.Fatalf("it takes %q and no !", usage)
		}
		run(scriptEnvOf(ts), ts, args)
	}
}

// scriptCondition knows [mount], if this account may mount a tmpfs, and [repository], if the tests
// run in a git checkout.
func scriptCondition(name string) (bool, error) {
	switch name {
	case "mount":
		return canMount()
	case "repository":
		return exec.Command("git", "rev-parse", "--verify", "--quiet", "HEAD").Run() == nil, nil
	}
	return false, fmt.Errorf("there is no condition %q", name)
}

func canMount() (bool, error) {
	dir, err := os.MkdirTemp("", "mews-mount-")
	if err != nil {
		return false, err
	}
	defer os.Remove(dir)
	if mountSmall(dir, "1") != nil {
		return false, nil
	}
	return true, unmount(dir)
}

type scriptEnvKey struct{}

func scriptEnvOf(ts *testscript.TestScript) *scriptEnv {
	return ts.Value(scriptEnvKey{}).(*scriptEnv)
}

// scriptEnv is a scenario's service, model and folder. Only the goroutine of the script uses it.
type scriptEnv struct {
	t        testing.TB
	dir      string
	names    []string // names of the environment variables at the script's start
	socket   string
	cmd      *exec.Cmd // the service, or nil
	exited   <-chan error
	model    *scriptModel
	terminal *scriptTerminal
	bot      *scriptBot
	hub      *scriptHub
	mounts   []string
}

func newScriptEnv(env *testscript.Env) error {
	s := &scriptEnv{t: env.T().(testing.TB), dir: env.WorkDir}
	s.socket = filepath.Join(s.dir, "state", "mews", "control.sock")
	env.Values[scriptEnvKey{}] = s
	env.Defer(s.cleanUp)
	if err := s.layOut(); err != nil {
		return err
	}
	env.Setenv("PATH", filepath.Join(s.dir, "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("HOME", filepath.Join(s.dir, "home"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(s.dir, "state"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(s.dir, "config"))
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY", "MODEL_URL",
		"TELEGRAM_TOKEN", "TELEGRAM_API_URL", "MEWS_TELEGRAM_ID", "BOT_URL", "BOT_TOKEN", "HOOK", "GITHUB_URL", "GITHUB_TOKEN"} {
		env.Setenv(name, "")
	}
	account, err := user.Current()
	if err != nil {
		return err
	}
	env.Setenv("ACCOUNT", account.Username)
	env.Setenv("TIER", map[bool]string{true: "accounts", false: "namespaces"}[os.Getuid() == 0])
	if err := goEnvironment(env); err != nil {
		return err
	}
	for _, pair := range env.Vars {
		name, _, _ := strings.Cut(pair, "=")
		s.names = append(s.names, name)
	}
	return nil
}

// giveHomes gives the folders that the script has made to the account of workers, as if their users
// had made them.
func (s *scriptEnv) giveHomes() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains([]string{"bin", "home", "state", "config"}, e.Name()) && e.Name()[0] != '.' {
			apptest.ChownToWorkers(s.t, filepath.Join(s.dir, e.Name()))
		}
	}
}

// layOut makes the HOME. It puts the programs into a folder of this scenario, so that the
// scenario's processes can be found.
func (s *scriptEnv) layOut() error {
	for _, name := range []string{"bin", "home"} {
		if err := os.MkdirAll(filepath.Join(s.dir, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"mews", "mews-spawner", "mews-worker"} {
		if err := os.Link(filepath.Join(apptest.BuildPrograms(s.t), name), filepath.Join(s.dir, "bin",
			name)); err != nil {
			return err
		}
	}
	return nil
}

// goEnvironment lets scenarios build with this account's caches, although their HOME differs. It
// also names the repository of the scenarios.
func goEnvironment(env *testscript.Env) error {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOTOOLCHAIN", "GOMOD"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		env.Setenv(name, values[i])
	}
	env.Setenv("REPOSITORY", filepath.Dir(env.Getenv("GOMOD")))
	env.Setenv("GOMOD", "")
	return nil
}

// cleanUp ends all processes and mounts, even after a failed script.
func (s *scriptEnv) cleanUp() {
	if s.t.Failed() {
		if s.terminal != nil {
			s.t.Logf("the terminal shows %q", s.terminal.shown())
		}
		for _, name := range []string{"service.out", "service.err"} {
			if text, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil {
				s.t.Logf("the end of %s:\n%s", name, text[max(0, len(text)-6000):])
			}
		}
	}
	if s.cmd != nil {
		s.signal(syscall.SIGKILL)
	}
	if s.terminal != nil {
		if err := s.terminal.hangUp(); err != nil {
			s.t.Error(err)
		}
	}
	for _, pid := range s.processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended by itself
	}
	if s.model != nil {
		s.model.close()
	}
	if s.bot != nil {
		s.bot.server.Close(s.t) // while it answers, it reads the database
	}
	for _, dir := range s.mounts {
		if err := unmount(dir); err != nil {
			s.t.Error(err)
		}
	}
}

// waitUntil waits until other processes fulfil a condition.
func waitUntil(ts *testscript.TestScript, most time.Duration, what string, there func() bool) {
	deadline := time.After(most)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-deadline:
			ts.Fatalf("waited %s for %s; running: %v", most, what, scriptEnvOf(ts).processes())
		case <-tick.C:
		}
	}
}

// serve starts `mews run`. Its output is added to service.out, and its log to service.err.
func (s *scriptEnv) serve(ts *testscript.TestScript, args []string) {
	if s.cmd != nil {
		ts.Fatalf("there is a service already")
	}
	s.giveHomes()
	cmd := exec.Command(filepath.Join(s.dir, "bin", "mews"), append([]string{"run"}, args...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), s.environment(ts)
	out, log := s.open(ts, "service.out"), s.open(ts, "service.err")
	defer out.Close()
	defer log.Close()
	cmd.Stdout, cmd.Stderr = out, log
	ts.Check(cmd.Start())
	exited := make(chan error, 1)
	// this goroutine ends with the service, at the latest at the script's end
	go func() { exited <- cmd.Wait() }()
	s.cmd, s.exited = cmd, exited
	ts.Setenv("SERVICE", strconv.Itoa(cmd.Process.Pid))
	waitUntil(ts, apptest.DefaultTestTimeout, "the service to answer", func() bool {
		if _, err := s.status(); err == nil {
			return true
		}
		select {
		case err := <-exited:
			s.cmd = nil
			ts.Fatalf("the service has ended by itself: %v", err)
		default:
		}
		return false
	})
}

// environment returns the variables for the script's programs, which are the variables at the
// script's start.
func (s *scriptEnv) environment(ts *testscript.TestScript) (env []string) {
	for _, name := range s.names {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

func (s *scriptEnv) open(ts *testscript.TestScript, name string) *os.File {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	return f
}

func (s *scriptEnv) status() (status api.Status, err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), apptest.DefaultTestTimeout)
	defer cancel()
	err = control.CallOnce(ctx, s.socket, api.MethodStatus, nil, &status)
	return status, err
}

// signal sends a signal to the service, and returns how the service ended.
func (s *scriptEnv) signal(sig os.Signal) error {
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Logf("signal the service: %v", err) // the service has ended by itself; its exit status gives the reason
	}
	err := <-s.exited
	s.cmd = nil
	return err
}

func (s *scriptEnv) stopService(ts *testscript.TestScript, _ []string) {
	if s.cmd == nil {
		ts.Fatalf("there is no service")
	}
	ts.Check(s.signal(syscall.SIGTERM))
	s.noProcesses(ts, nil)
}

func (s *scriptEnv) killSupervisor(ts *testscript.TestScript, _ []string) {
	if s.cmd == nil {
		ts.Fatalf("there is no service")
	}
	if err := s.signal(syscall.SIGKILL); err == nil {
		ts.Fatalf("the service had ended by itself")
	}
	// The service's clients go on, so only the processes that it started must be gone.
	waitUntil(ts, 2*time.Second, "spawner and workers to be gone", func() bool {
		return len(s.processes("mews-spawner", "mews-worker")) == 0
	})
}

func (s *scriptEnv) killWorker(ts *testscript.TestScript, args []string) {
	pid := 0
	waitUntil(ts, apptest.DefaultTestTimeout, "a worker of "+args[0], func() bool {
		status, err := s.status()
		ts.Check(err)
		for _, u := range status.Users {
			if u.Name == args[0] {
				pid = u.PID
			}
		}
		return slices.Contains(s.processes("mews-worker"), pid)
	})
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	waitUntil(ts, 2*time.Second, "the worker to be gone", func() bool { return !slices.Contains(s.processes(), pid) })
}

func (s *scriptEnv) noProcesses(ts *testscript.TestScript, _ []string) {
	waitUntil(ts, 2*time.Second, "every process to be gone", func() bool { return len(s.processes()) == 0 })
}

// processes lists the pids of the scenario's programs, or only of the named programs.
func (s *scriptEnv) processes(names ...string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.t.Fatal(err)
	}
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || !strings.HasPrefix(exe, s.dir+"/") {
			continue // the process has ended, or belongs to another account
		}
		if len(names) == 0 || slices.Contains(names, filepath.Base(exe)) {
			found = append(found, pid)
		}
	}
	return found
}

func (s *scriptEnv) eventually(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile(`(?m)` + args[0])
	ts.Check(err)
	waitUntil(ts, apptest.DefaultTestTimeout, strconv.Quote(args[0]), func() bool {
		return ts.Exec(args[1], args[2:]...) == nil && pattern.MatchString(ts.ReadFile("stdout"))
	})
}

func (s *scriptEnv) smallDisk(ts *testscript.TestScript, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(mountSmall(dir, args[1]))
	s.mounts = append(s.mounts, dir)
}
