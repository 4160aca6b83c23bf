package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/worker/sandbox/escape"
)

// escapesDocument is written by the tests and holds their results.
var escapesDocument = filepath.Join(packageDir, "escapes.md")

const documentHead = `# Escapes

Each row is a real attempt to escape from a worker's walls: to read a secret, send a signal, make a socket, exceed a limit. A
worker of each tier makes them against real victims outside. These are another person's home, the state folder, and a process
of the worker's own account with a secret in its environment. Others are a set-uid program, and services on 127.0.0.1, on an
abstract name and on a path. One is the file history of the worker's own home, which is for the worker and not for its programs.
In the tier accounts the other person and the service have accounts of their own. In the other two everybody shares one account,
and only the walls separate them.

The tests write this file: MEWS_UPDATE_GOLDEN=1 go test -run TestEscapes_EachTier_StopsItsProbes ./worker/sandbox, as root. It is about the profile
worker. Programs of tools are behind a second layer of the same walls and escape in no other row. The rows H are always made as
such a program.

Known: F16 tells one boot of a machine from another, and nothing else. The landlock tier has these known escapes. Other processes
are listed with the names of their descriptors, but nobody can read them (F6, F14). A daemon lives until the spawner's next
sweep (X1). The terminals are the host's, and the watchdog counts them (Q5). Programs can change the modes and times of the file
history (H3, H4), but neither read nor write it. People who share an account in that tier can change the modes of all its files
and see that these exist. Neither Landlock nor a filter can refuse that. The kernel counts processes by account, so the spawner
leaves R2 to a control group. In these rows only accounts or namespaces keep people apart.

`

const documentWalls = `
## Which walls stop a row

A row escapes if all the walls of a set are removed, and any one of them alone stops it. The tests remove them all and put each
one back. If there are two sets, either of them is enough. Even without walls the kernel stops some rows for everybody except
root; the walls refuse most of them once more.

- root: a root folder of its own, which starts empty; processes, network, users: namespaces of its own
- capabilities: it has none; no_new_privs: no program gives any (without it there is no Landlock and no filter)
- inotify: the bounds of its user namespace; limits; landlock; filter: of system calls; descriptors: inherited ones are
  closed; environment: it is made anew
- socket: the protocol is no pipe, which could be opened again; moved: it is on a descriptor that no child has; private: no
  process of the same account can read the worker; input: a child gets none of the worker's descriptors
- closed: the descriptor of the file history is closed on execve; program: the second layer of walls, around programs alone.
  In landlock this layer has rules of its own without the file history, which the worker's own layer allows

`

const documentPools = `
## Pools of a machine or an account

These settings below /proc/sys (fs, kernel, net, vm, user) bound something that everybody shares. The table says what keeps one
worker from taking all of it. A setting that is not named bounds a process, a socket or a namespace, or nothing.

| setting | counted for | what bounds a worker | rows |
|---|---|---|---|
`

const documentLife = `
## Messages and life of a worker

Other things that a hostile worker may do, and the tests that show the result.

`

// document returns the whole text of the file.
func document(found map[string]map[string]escape.Outcome) string {
	var b strings.Builder
	b.WriteString(documentHead)
	columns := []string{"accounts", "namespaces", "landlock"}
	fmt.Fprintf(&b, "| row | what | %s |\n|---|---|---|---|---|\n", strings.Join(columns, " | "))
	escapes := make([]int, len(columns))
	for _, p := range escape.AllProbes() {
		fmt.Fprintf(&b, "| %s | %s |", p.Row, p.What)
		for i, name := range columns {
			cell := string(found[name][p.Row])
			if p.Watched {
				cell = "watchdog"
			}
			if cell == string(escape.OutcomeEscaped) {
				cell = "**" + cell + "**"
				escapes[i]++
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| | escapes of %d | %d | %d | %d |\n", len(escape.AllProbes()), escapes[0], escapes[1], escapes[2])
	b.WriteString(documentWalls)
	writeWalls(&b)
	b.WriteString(documentPools)
	for _, p := range pools {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.setting, p.whose, p.bound, strings.Join(p.rows, ", "))
	}
	b.WriteString(documentLife)
	for _, item := range life {
		tests := strings.Join(item.tests, ", ")
		if item.missing != "" {
			tests = strings.TrimPrefix(tests+"; **missing:** "+item.missing, "; ")
		}
		fmt.Fprintf(&b, "- %s: %s\n", item.what, tests)
	}
	return b.String()
}

func writeWalls(b *strings.Builder) {
	within, outside := behindNamespaces(), behindLandlock()
	b.WriteString("| row | namespaces | landlock |\n|---|---|---|\n")
	for _, p := range escape.AllProbes() {
		fmt.Fprintf(b, "| %s | %s | %s |\n", p.Row, wallsCell(p, within, TierNamespaces),
			wallsCell(p, outside, TierLandlock))
	}
}

func wallsCell(p escape.Probe, table map[string][]walls, tier Tier) string {
	var sets []string
	row := p.Row
	for _, set := range table[row] {
		sets = append(sets, strings.Join(set, " + "))
	}
	known := map[Tier][]string{TierNamespaces: knownBehindNamespaces, TierLandlock: knownBehindLandlock}
	switch {
	case sets != nil:
		return strings.Join(sets, "; or ")
	case slices.Contains(known[tier], row):
		return "none: known"
	case p.Watched:
		return "the spawner's watchdog"
	case kernelAlone[row] != "":
		return "the kernel: " + kernelAlone[row]
	}
	return "the kernel: it takes a capability, and there is no user namespace to have it in"
}

func compareDocument(t *testing.T, got string) {
	t.Helper()
	if os.Getenv("MEWS_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(escapesDocument, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(escapesDocument)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("escapes.md is not what was found; MEWS_UPDATE_GOLDEN=1 writes it:\n%s", diff)
	}
}

// lifeItem is an event in a worker's life, and the tests of it. A test is named by its package
// folder and its name.
type lifeItem struct {
	what    string
	tests   []string
	missing string
}

const badly = "supervisor/pool TestMisbehavingWorker_SparesOtherWorkers"

var life = []lifeItem{
	{"a line beyond the limit", []string{"protocol TestRun_EachConnectionEnd_ReturnsCause",
		"protocol TestFrameReader_LongLine_IsRefusedEarly", badly}, ""},
	{"a line without end", []string{badly, "supervisor/pool TestStderr_EndlessLine_IsSplit"}, ""},
	{"half a line, and then nothing", []string{badly}, ""},
	{"broken UTF-8, lone surrogates, keys twice, deep nesting, 1e400, an id again",
		[]string{"protocol TestDecodeStrict_InvalidValues_AreRefused", "protocol TestDecodeLine_BrokenLines_AreRefused",
			"protocol FuzzDecodeStrict", "protocol FuzzConn",
			"protocol TestRun_EachConnectionEnd_ReturnsCause"}, ""},
	{"an unknown method, or one in the wrong direction",
		[]string{"supervisor/hostcall TestForbiddenCall_EndsWorkerAndIsAudited",
			"supervisor/hostcall TestTurnEvent_Invalid_EndsWorker", badly}, ""},
	{"an answer to nothing that was asked", []string{"protocol TestRun_EachConnectionEnd_ReturnsCause",
		"protocol TestSecondAnswer_EndsConnection",
		badly}, ""},
	{"another person's turn, blob or picture", []string{"supervisor/hostcall TestForbiddenCall_EndsWorkerAndIsAudited",
		"supervisor/hostcall TestBlob_OtherUser_CannotRead",
		"supervisor/hostcall TestPicture_Invalid_EndsWorker"}, ""},
	{"an address that is not the world's, asked of the broker", nil, "there is no broker for the web yet"},
	{"a secret asked of the broker by name or template", nil, "there is no broker for the web yet"},
	{"data carried out in an address", nil, "there is no broker for the web yet"},
	{"a flood of messages", []string{badly, "supervisor/hostcall TestForbiddenCalls_OnlyFirstIsAudited",
		"supervisor/hostcall TestTurnEvent_TooFast_DropsProgress"}, ""},
	{"it stops reading", []string{badly, "protocol TestWrite_PeerDoesNotRead_EndsConnection",
		"protocol TestReader_FullSendQueue_NeverWaits"}, ""},
	{"it closes its socket and goes on", []string{badly}, ""},
	{"it floods its standard error, with escape sequences", []string{badly,
		"supervisor/pool TestStderr_Flood_LogsOnlyAPart",
		"supervisor/pool FuzzEscape"}, ""},
	{"a daemon that holds the protocol", []string{"cmd/mews-worker TestChildProcesses_InheritNoSocket",
		"worker/spawn TestExitedMessage_WaitsForDaemonsToEnd"}, ""},
	{"thousands of orphans", []string{"worker/spawn TestDaemons_ManyAtOnce_AreKilled",
		"worker/tool/shell TestReapOrphans_SparesOwnChildren",
		"worker/spawn TestOrphans_TenThousand_AreReaped"}, ""},
	{"a process that forks and ends without pause", []string{"worker/sandbox TestKillAll_EndlessForks_LeavesNone",
		"worker/program TestKillLeftovers_EndlessForks_AreKilled"}, ""},
	{"it stops itself (SIGSTOP)", []string{badly}, ""},
	{"it dies within a request", []string{"supervisor/session TestWorkerDeath_TurnContinuesFromLastCommit",
		"worker/agent TestPendingCall_BegunOnceCall_IsNotRepeated"}, ""},
	{"a path swapped for a link while it is opened", []string{
		"worker/workspace TestSwappedLinks_Race_ReachNothingOutside",
		"worker/workspace TestOpen_NotRegular_IsRefused", "worker/spawn TestBind_FolderSwapped_IsRefused"}, ""},
	{"a file that takes over the parser that reads it", []string{"worker/sandbox TestParser_ForbiddenActions_Fail",
		"worker/sandbox TestReader_ForbiddenActions_Fail",
		"worker/parse TestRun_HostileParser_IsBounded", "worker/parse FuzzFailure"}, ""},
	{"hostile names of files", []string{"worker/tool/files TestListFiles_EachCall_ListsEntries", "worker/workspace FuzzPath",
		"worker/workspace TestWrite_LongName_IsRefused",
		"supervisor/hostcall TestTurnEvent_ControlCharacters_AreRemoved"}, ""},
	{"files that the operator's own programs would execute (.git/hooks, .bashrc)", nil,
		"nothing keeps a worker from writing them; the operator is to run nothing in a person's folder"},
	{"the end of a worker while a tool runs", []string{"worker/spawn TestWalls_WorkerEnds_NothingSurvives",
		"supervisor/pool TestPoolEnd_LeavesNoProcess"}, ""},
}

// TestSandboxDocument_NamedTests_Exist: a renamed test must not silently vanish from the document.
func TestSandboxDocument_NamedTests_Exist(t *testing.T) {
	for _, item := range life {
		if len(item.tests) == 0 && item.missing == "" {
			t.Errorf("%s: no test, and not said to be missing", item.what)
		}
		for _, test := range item.tests {
			dir, name, _ := strings.Cut(test, " ")
			if !declared(t, dir, name) {
				t.Errorf("%s: there is no %s", item.what, test)
			}
		}
	}
}

// declared reports whether a package has a test.
func declared(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(packageDir, "..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
