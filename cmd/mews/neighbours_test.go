package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// harm is a program of alice's model that must not affect bob. It makes the file begun in alice's
// home when it begins. It ends when the file over is there, or when a limit ends it.
type harm struct {
	name           string
	command        string
	notice         string // pattern of the service's notice to alice, "" for none
	result         string // pattern of the result that the model gets
	mayEndWorker   bool   // alice's own worker may end, because its threads count in her limit
	isShort        bool   // this harm is tried without MEWS_NEIGHBOURS too
	isSafeUnwalled bool   // this harm is also tried without a process namespace, and must do no damage then
	needsMount     bool   // this harm needs a small disk
	byRecogniser   bool   // the recogniser of alice's recording does this harm
}

// wait is shell code that waits until a harm ends. spin is shell code that waits without starting a
// process.
const (
	wait = "; until [ -e over ]; do sleep 0.05; done; echo it is over"
	spin = "; until [ -e over ]; do :; done; echo it is over"
)

// python returns shell code that runs a Python script. The script may call begun() and wait().
func python(lines ...string) string {
	const front = "import os, time\ndef begun(): open('begun', 'w').close()\ndef wait():\n" +
		"    while not os.path.exists('over'): time.sleep(0.05)\n    print('it is over')\n"
	return "exec python3 - <<'.'\n" + front + strings.Join(lines, "\n") + "\n."
}

// neighbourLimits are the limits of the workers in these tests. They are low, so that a small
// misuse exceeds them.
const neighbourLimits = "memory: 128MiB, pids: 80"

// harms are programs that may harm a neighbour.
var harms = []harm{
	{
		name: "fork bomb", isSafeUnwalled: true, mayEndWorker: true,
		command: ": >begun; bomb() { bomb | bomb & }; bomb" + spin,
		result:  "Resource temporarily unavailable|ended by a signal: killed|interrupted",
	},
	{
		// this program ends when a fork is refused
		name: "crowd", isShort: true, isSafeUnwalled: true, mayEndWorker: true,
		notice: "wanted more than the 80 processes",
		command: python("begun()", "made = 0", "for i in range(1000):", "    try:",
			"        if os.fork() == 0: time.sleep(1000)",
			"        made += 1", "    except OSError as e:", "        print('refused after', made // 1000 * 1000, e); break", "wait()"),
		result: "refused after 0 .*Resource temporarily unavailable|ended by a signal: killed|interrupted",
	},
	{
		name: "memory in one process", isShort: true, isSafeUnwalled: true,
		command: python("begun()", "have = []", "try:", "    while True: have.append(bytearray(100 << 20))", "except MemoryError:",
			"    print('no more memory')", "wait()"),
		result: "no more memory",
	},
	{
		name: "memory in several", isSafeUnwalled: true,
		command: python("for i in range(3):", "    if os.fork() == 0:", "        have = bytearray(90 << 20)",
			"        for at in range(0, len(have), 4096): have[at] = 1", "        time.sleep(1000)", "begun()", "wait()"),
		notice: "needed more than the 128 MiB of memory",
		result: "it is over|ended by a signal: killed",
	},
	{
		name:    "a file too large",
		command: ": >begun; truncate -s 2G huge; echo truncate says $?; ls -l huge" + wait + "; rm -f huge",
		result:  "(?i)file (size limit exceeded|too large)|truncate says 153",
	},
	{
		name: "full disk", needsMount: true,
		command: ": >begun; cat /dev/zero >full" + wait + "; rm -f full",
		result:  "No space left on device",
	},
	{
		name: "descriptors", isShort: true,
		command: python("have = []", "try:", "    while True: have.append(os.open('/', os.O_PATH))", "except OSError as e:",
			"    why = str(e)", "os.close(have.pop())", "begun()", "wait()", "print(why)"),
		result: "Too many open files",
	},
	{
		name:    "flood",
		command: ": >begun; yes | head -c 200M" + wait,
		result:  `(?s)left out.*it is over`,
	},
	{
		name: "daemons",
		command: `for i in 1 2 3; do setsid sh -c "trap '' TERM HUP INT; sleep 1000 & sleep 1000" >/dev/null 2>&1 & done
env -i setsid sleep 1000 </dev/null >/dev/null 2>&1 & : >begun` + wait,
		result: "(?s)10 background processes were ended.*it is over",
	},
	{
		name: "kill everybody", isShort: true,
		command: ": >begun; sleep 1000 & kill -9 -1; kill -9 1 $PPID" + spin,
		result:  "it is over",
	},
	{
		name: "garbage",
		command: `exec 2>/dev/null; : >begun; for i in 0 1 2 3 4 5 6 7 8 9; do
  head -c 50000 /dev/urandom >&$i; printf '\n{"jsonrpc":"2.0","method":"turn.end"}\n' >&$i
  for p in 1 $PPID; do timeout 1 head -c 50000 /dev/urandom >/proc/$p/fd/$i; done
done` + wait,
		result: "it is over",
	},
}

// TestNeighbours_HarmOfOne_SparesTheOther runs each harm against alice's own processes, memory,
// disk and tools. Meanwhile bob is answered, and his worker can run programs. The service tells
// alice about her limit, and her turn ends in the same worker. No process or file of the harm is
// left. MEWS_NEIGHBOURS=1 tries all harms.
func TestNeighbours_HarmOfOne_SparesTheOther(t *testing.T) {
	tried := chosenHarms(harms, "MEWS_NEIGHBOURS")
	t.Run("walls", func(t *testing.T) { tryHarms(t, "", tried) })
	t.Run("landlock", func(t *testing.T) {
		mild := slices.DeleteFunc(slices.Clone(tried), func(h harm) bool { return !h.isSafeUnwalled })
		tryHarms(t, ", sandbox: landlock, sandbox_min: landlock", mild)
	})
}

// chosenHarms returns all harms if an environment variable is set, otherwise only the short harms.
func chosenHarms(all []harm, variable string) []harm {
	if os.Getenv(variable) != "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h harm) bool { return !h.isShort })
}

func tryHarms(t *testing.T, walls string, harms []harm) {
	_, url := modeltest.NewServer(t, runCommandModel)
	h := apptest.NewService(t, url, "alice", "bob")
	h.AppendConfig("worker: {" + neighbourLimits + walls + "}\n")
	// workers without their own root reach their homes by the path on the host
	for _, dir := range []string{filepath.Dir(h.Dir), h.Dir} {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	small := smallHomes(h, "alice", "bob")
	h.Start()
	defer h.Stop()
	now := statusOf(h)
	t.Logf("%s. %s", now.Walls.Why, now.Walls.Limits)
	alice, bob := newNeighbour(h, "alice"), newNeighbour(h, "bob")
	alice.ask("run true")
	for _, harm := range harms {
		if harm.needsMount && !small {
			continue
		}
		t.Run(harm.name, func(t *testing.T) {
			h.T = t
			defer func(whole testing.TB) { h.T = whole }(h.T)
			harm.run(h, alice, bob)
		})
	}
}

// runCommandModel is a model that runs a command ("run COMMAND"), calls one more tool, and answers
// with the results.
func runCommandModel(r modeltest.Request) modeltest.Answer {
	command, asked := strings.CutPrefix(r.NewestUserMessage(), "run ")
	if !asked {
		return modeltest.FileWriterScript(r)
	}
	args, err := json.Marshal(map[string]any{"command": command, "timeout": 60})
	if err != nil {
		return modeltest.Answer{Text: err.Error()}
	}
	switch done := r.AnsweredCalls(); len(done) {
	case 0:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "run_command", Args: string(args)}}}
	case 1:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: "{}"}}}
	default:
		return modeltest.Answer{Text: "done: " + cutMiddle(done[0].Result)}
	}
}

// cutMiddle shortens a long text to its beginning and end.
func cutMiddle(text string) string {
	const each = 1000
	if len(text) <= 2*each {
		return text
	}
	return strings.ToValidUTF8(text[:each], "") + "\n…\n" + middleNote.FindString(text) + "\n…\n" + strings.ToValidUTF8(text[len(text)-each:], "")
}

var middleNote = regexp.MustCompile(`\[\.\.\. .*left out.*\]`)

// run starts the harm and checks its effects.
func (m harm) run(h *apptest.Service, alice, bob *neighbourClient) {
	t := h.T
	before, heard := statusOf(h), alice.notices()
	answer := m.start(h, alice)
	bob.checkRunsPrograms(before.Walls.Tier != "landlock")
	if m.notice != "" && (m.name != "crowd" || reportsTooMany(before)) {
		h.WaitUntilTrue(apptest.DefaultTestTimeout, "alice to be told",
			func() bool { return regexp.MustCompile(m.notice).MatchString(alice.notices()[len(heard):]) })
	}
	stopHarm(h, "alice")
	got := alice.await(answer)
	if !regexp.MustCompile(m.result).MatchString(got) || !strings.HasPrefix(got, "done: ") {
		t.Errorf("the model was told %q, want %q", got, m.result)
	}
	m.checkCleanup(h, alice, before)
	if told := strings.TrimSpace(alice.notices()[len(heard):]); told != "" {
		t.Logf("alice was told: %s", told)
	}
}

// start starts the harm. The answer comes on the channel when the harm is over.
func (m harm) start(h *apptest.Service, alice *neighbourClient) <-chan string {
	h.T.Helper()
	return alice.awaitStart(func() <-chan string { return alice.say("run " + m.command) })
}

// awaitStart starts a harm and waits until the harm has begun. The function say sends the message
// that starts the harm.
func (n *neighbourClient) awaitStart(say func() <-chan string) <-chan string {
	h := n.service
	h.T.Helper()
	for _, name := range []string{"begun", "over"} {
		if err := os.Remove(filepath.Join(h.UserHome(n.user), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			h.T.Fatal(err)
		}
	}
	answer := say()
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "the harm to begin", func() bool {
		_, err := os.Stat(filepath.Join(h.UserHome(n.user), "begun"))
		return err == nil || len(answer) > 0
	})
	return answer
}

// stopHarm stops the harm of a user's model.
func stopHarm(h *apptest.Service, name string) {
	h.T.Helper()
	if err := os.WriteFile(filepath.Join(h.UserHome(name), "over"), nil, 0o644); err != nil {
		h.T.Error(err)
	}
}

// reportsTooMany reports whether the service sends a notice about too many processes. The service
// does so with control groups, or if the watchdog enforces the limit. Otherwise only the command
// gets an error.
func reportsTooMany(s api.Status) bool {
	return s.Walls.Tier == "landlock" || countedTogether.MatchString(s.Walls.Limits)
}

var countedTogether = regexp.MustCompile(`limited all together by [^.]*\bpids\b`)

// checkCleanup checks that both users have the same workers as before, and that no process or file
// of the harm is left.
func (m harm) checkCleanup(h *apptest.Service, alice *neighbourClient, before api.Status) {
	t := h.T
	looked := alice.ask(`run ls -A "${TMPDIR:-/tmp}"; echo looked`)
	_, listed, _ := strings.Cut(looked, "\n")
	for name := range strings.FieldsSeq(strings.TrimSuffix(strings.TrimSpace(listed), "looked")) {
		// skip the folders of long tool outputs
		if !strings.HasPrefix(name, "mews-") {
			t.Errorf("%s is left in /tmp: %q", name, looked)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(looked), "looked") {
		t.Errorf("alice's next command: %q", looked)
	}
	for i, now := range statusOf(h).Users {
		was := before.Users[i]
		if was.PID != 0 && !(m.mayEndWorker && now.Name == "alice") && (now.PID != was.PID || now.Deaths != was.Deaths) {
			t.Errorf("%s's worker was %d and is %d; %d died", now.Name, was.PID, now.PID, now.Deaths-was.Deaths)
		}
		h.WaitUntilTrue(apptest.DefaultTestTimeout, "nothing to be left below the worker of "+now.Name,
			func() bool { return len(childrenOf(now.PID)) == 0 })
	}
}

// statusOf returns the status of the service.
func statusOf(h *apptest.Service) (s api.Status) {
	h.T.Helper()
	if err := control.CallOnce(h.T.Context(), h.Socket, api.MethodStatus, nil, &s); err != nil {
		h.T.Fatal(err)
	}
	return s
}

// smallHomes puts the homes on a small disk, if this account may mount a disk.
func smallHomes(h *apptest.Service, people ...string) bool {
	h.T.Helper()
	if may, err := canMount(); err != nil || !may {
		return false
	}
	dir := filepath.Dir(h.UserHome("anybody"))
	if err := mountSmall(dir, "48"); err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(func() {
		if err := unmount(dir); err != nil {
			h.T.Error(err)
		}
	})
	for _, name := range people {
		if err := os.Mkdir(h.UserHome(name), 0o700); err != nil {
			h.T.Fatal(err)
		}
		apptest.ChownToWorkers(h.T, h.UserHome(name))
	}
	return true
}

// childrenOf returns the children of a process.
func childrenOf(pid int) []string {
	var list []string
	// can't fail: the pattern is well formed
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range lists {
		text, err := os.ReadFile(path)
		if err == nil { // an error means that the thread has just ended
			list = append(list, strings.Fields(string(text))...)
		}
	}
	return list
}

// neighbourClient is a user at a terminal who waits for each answer.
type neighbourClient struct {
	service *apptest.Service
	user    string
	chat    *control.Chat

	mu       sync.Mutex // guards the fields below
	waiting  map[string]chan string
	received strings.Builder
}

func newNeighbour(h *apptest.Service, name string) *neighbourClient {
	n := &neighbourClient{service: h, user: name, waiting: map[string]chan string{}}
	n.chat = control.NewChat(h.Socket, control.JoinChatRequest{User: name, After: control.StartFromNow}, n)
	ctx, ended := h.T.Context(), make(chan struct{})
	go func() { defer close(ended); n.chat.Run(ctx, time.Minute) }()
	h.T.Cleanup(func() { <-ended })
	return n
}

// say sends a message. Its answer comes on the channel.
func (n *neighbourClient) say(text string, files ...control.UploadedFile) <-chan string {
	n.service.T.Helper()
	key, answer := control.NewMessageKey(), make(chan string, 1)
	n.mu.Lock()
	n.waiting[key] = answer
	n.mu.Unlock()
	if _, err := n.chat.SendMessage(n.service.T.Context(), key, text, files...); err != nil {
		n.service.T.Fatal(err)
	}
	return answer
}

func (n *neighbourClient) await(answer <-chan string) string {
	n.service.T.Helper()
	select {
	case text := <-answer:
		return text
	case <-time.After(2 * time.Minute):
		n.service.T.Fatal("no answer within two minutes")
		return ""
	}
}

func (n *neighbourClient) ask(text string) string {
	n.service.T.Helper()
	return n.await(n.say(text))
}

// checkRunsPrograms checks that the user's worker can run a program. If an account's processes are
// counted together, the watchdog may need a few sweeps to make room.
func (n *neighbourClient) checkRunsPrograms(atOnce bool) {
	n.service.T.Helper()
	var got string
	for range 10 {
		if got = n.ask("run sleep 0.2; /bin/true && echo mine"); strings.HasSuffix(strings.TrimSpace(got), "mine") || atOnce {
			break
		}
		n.service.T.Logf("not yet: %q", got)
	}
	if !strings.HasSuffix(strings.TrimSpace(got), "mine") {
		n.service.T.Errorf("a neighbour's command: %q", got)
	}
}

// notices returns the service's notices.
func (n *neighbourClient) notices() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.received.String()
}

func (n *neighbourClient) ShowDelivery(d control.Delivery) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d.Kind == supervisor.DeliveryNotice {
		n.received.WriteString(d.Text + "\n")
	}
	if answer := n.waiting[d.Key]; answer != nil && d.Kind == supervisor.DeliveryAnswer {
		answer <- d.Text
		delete(n.waiting, d.Key)
	}
	return true
}

func (*neighbourClient) ShowConnected(control.JoinChatResult, bool) {}
func (*neighbourClient) ShowProgress(control.Progress)              {}
func (*neighbourClient) ShowConnectionLost(error)                   {}
