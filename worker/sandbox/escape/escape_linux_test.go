package escape

import (
	"bufio"
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// heavy allows the bombs to run without limits.
var heavy = flag.Bool("escape.heavy", false, "set the bombs off: 3 GiB of memory, 3 GiB of three file systems")

func (r *harness) wantLine(from *os.File, want Report) {
	r.t.Helper()
	line, err := bufio.NewReader(from).ReadString('\n')
	r.must(err)
	f, err := DecodeReport(strings.TrimSpace(line))
	r.must(err)
	if diff := cmp.Diff(want, f); diff != "" {
		r.t.Error(diff)
	}
}

// TestProbes_WithoutWalls_HaveKnownEscapes: the table has 94 rows, and 67 of them escape without
// walls.
func TestProbes_WithoutWalls_HaveKnownEscapes(t *testing.T) {
	count := map[string]int{}
	core, bare := 0, 0
	for _, p := range AllProbes() {
		if p.Row == "" || p.What == "" || p.run == nil {
			t.Errorf("half a row: %+v", p)
		}
		if p.Core && (p.Heavy || p.Watched) {
			t.Errorf("%s is a bomb, and is to be set off at every start", p.Row)
		}
		count[strings.TrimRight(p.Row, "0123456789")]++
		if p.Core {
			core++
		}
		if !p.Kernel {
			bare++
		}
	}
	want := map[string]int{"F": 21, "H": 5, "P": 9, "N": 11, "K": 19, "S": 2, "D": 4, "R": 6, "Q": 13, "C": 2, "E": 1,
		"X": 1}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Error(diff)
	}
	if core < 18 || core > 24 || bare != 67 {
		t.Errorf("%d rows of the core, %d that no kernel stops: want about 20, and 67", core, bare)
	}
	rows := AllProbes()
	slices.SortFunc(rows, func(a, b Probe) int { return strings.Compare(a.Row, b.Row) })
	if len(slices.CompactFunc(rows, func(a, b Probe) bool { return a.Row == b.Row })) != 94 {
		t.Error("a row comes twice")
	}
}

// TestBombs_WithinLimits_AreStopped runs each bomb under a worker's limits.
func TestBombs_WithinLimits_AreStopped(t *testing.T) {
	r := newHarness(t)
	if !r.root {
		t.Skip("a limit on processes counts for a whole account, and only root has one to spare")
	}
	for _, row := range []string{"R1", "R2", "R3", "R4", "R5", "R6"} {
		f := r.finding(r.attempt("limited", row, r.own()))
		if started := strings.Contains(f.Detail, ", after ") || row == "R3"; f.Outcome != OutcomeStopped || !started {
			t.Errorf("%+v", f)
		}
	}
}

// TestBombs_WithoutLimits_ExhaustMachine runs the harmless bombs, which are files and waiting
// children. With -escape.heavy it runs all bombs.
func TestBombs_WithoutLimits_ExhaustMachine(t *testing.T) {
	r := newHarness(t)
	var files, children unix.Rlimit
	r.must(unix.Getrlimit(unix.RLIMIT_NOFILE, &files))
	r.must(unix.Getrlimit(unix.RLIMIT_NPROC, &children))
	want := map[string]bool{
		"R1": files.Max > manyFiles+100,
		"R2": children.Max > manyChildren+1000 && *heavy, // row R2 needs memory for fifteen hundred page tables
		"R3": *heavy, "R4": *heavy, "R5": *heavy, "R6": *heavy,
	}
	for row, set := range want {
		if !set {
			continue
		}
		if f := r.finding(r.attempt("try", row, r.own())); f.Outcome != OutcomeEscaped {
			t.Errorf("%+v", f)
		}
	}
}

// TestTerminal_Controlling_Escapes tries row D4 with a controlling terminal.
func TestTerminal_Controlling_Escapes(t *testing.T) {
	r := newHarness(t)
	master, slave, err := pty.Open()
	r.must(err)
	defer master.Close()
	cmd := r.attempt("try", "D4", nil) // the terminal belongs to the tester
	cmd.SysProcAttr.Setctty = true
	cmd.SysProcAttr.Ctty = 3
	cmd.ExtraFiles = []*os.File{slave}
	f := r.finding(cmd)
	slave.Close()
	want := OutcomeEscaped
	if hasSetting("dev/tty/legacy_tiocsti", "0")(nil, f) && !hasPowers(t, unix.CAP_SYS_ADMIN) {
		want = OutcomeStopped
	}
	if f.Outcome != want {
		t.Errorf("%+v, want %s", f, want)
	}
}

// TestVictimPIDs_OtherNamespace_AreNotReached: a pid of the caller does not name a victim in
// another pid namespace.
func TestVictimPIDs_OtherNamespace_AreNotReached(t *testing.T) {
	r := newHarness(t)
	r.victims.PIDNamespace = "pid:[1]"
	for _, row := range []string{"P2", "P3", "P4", "P5", "P8", "F5", "F14"} {
		if f := r.finding(r.attempt("try", row, r.own())); f.Outcome != OutcomeStopped {
			t.Errorf("%+v", f)
		}
	}
}

// A probe finds a free name, even if a killed probe with the same process id has left its file.
func TestProbe_FileNameTaken_UsesAnother(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		if err := os.Mkdir(freshName(dir, "K1"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTryProbe_NoVictims_IsUntried(t *testing.T) {
	r := newHarness(t)
	r.victims = Victims{Workspace: r.victims.Workspace}
	needy := strings.Fields("F2 F3 F4 F5 F6 F8 F9 F10 F11 F12 F13 F14 F15 H1 H2 H3 H4 H5 " +
		"P1 P2 P3 P4 P5 P6 P7 P8 P9 N8 N9 N10 S2 E1 X1")
	for _, row := range append(needy, "Z9") {
		if f := r.finding(r.attempt("try", row, r.own())); f.Outcome != OutcomeUntried {
			t.Errorf("%+v", f)
		}
	}
}

// TestVictim_WithoutSecret_IsNoEscape: it is no escape to read a service or a file without the
// secret.
func TestVictim_WithoutSecret_IsNoEscape(t *testing.T) {
	r := newHarness(t)
	r.victims.Secret = "another of the same length and more, so that services hang up"
	for _, row := range []string{"F3", "F5", "F9", "F13", "H1", "P4", "N8", "N9", "N10"} {
		if f := r.finding(r.attempt("try", row, r.own())); f.Outcome != OutcomeStopped {
			t.Errorf("%+v", f)
		}
	}
}

// TestDaemon_EndedBeforeWorker_DidNotSurvive: a daemon that ended before its worker is no escape.
func TestDaemon_EndedBeforeWorker_DidNotSurvive(t *testing.T) {
	r := newHarness(t)
	if f, pid := r.daemonFinding(); f.Outcome != OutcomeUntried || pid != 0 {
		t.Errorf("before anything: %+v, %d", f, pid)
	}
	if f := r.finding(r.attempt("try", "X1", r.own())); f.Outcome != OutcomeEscaped {
		t.Errorf("a daemon that nothing ends: %+v", f)
	}
	if f, _ := r.daemonFinding(); f.Outcome == OutcomeEscaped {
		r.waitFree() // the daemon was killed, but may not be gone yet
	}
	if f, pid := r.daemonFinding(); f.Outcome != OutcomeStopped || pid != 0 {
		t.Errorf("afterwards: %+v, %d", f, pid)
	}
}

// waitFree waits until no process keeps the marker locked.
func (r *harness) waitFree() {
	f, err := os.OpenFile(r.victims.Marker, os.O_RDWR, 0)
	r.must(err)
	defer f.Close()
	r.must(unix.FcntlFlock(f.Fd(), unix.F_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK}))
}

func TestVictims_Encode_DecodesEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Make[Victims]().Draw(t, "victims")
		v.SupervisorPID, v.VictimPID, v.Worker = max(0, v.SupervisorPID), max(0, v.VictimPID), max(0, v.Worker)
		line := v.Encode()
		back, err := DecodeVictims(line)
		if err != nil || !cmp.Equal(v, back) || strings.ContainsAny(line, "\n\x00") {
			t.Fatalf("%q, %v: %s", line, err, cmp.Diff(v, back))
		}
	})
}

func TestVictims_BadLines_AreRefused(t *testing.T) {
	for _, line := range []string{
		``, `x`, `{`, `{"Secret":"a`, `{"Secret":"a"} x`, `{"Secret":"a"}{}`, `{"Secret"}`, `{"Secret":}`, `{"Cellar":"x"}`,
		`{"secret":"a"}`, `{"Secret":"a","Secret":"b"}`, `{"VictimPID":-1}`, `{"VictimPID":"1"}`, `{"VictimPID":99999999999999999999}`,
		`{"Open":"3"}`, `["Secret"]`, `"Secret"`, `{"Socket":"` + "\xff" + `"}`,
	} {
		if v, err := DecodeVictims(line); err == nil {
			t.Errorf("%s: %+v, want an error", line, v)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Victims{SupervisorPID: 7, Secret: "s\n", Open: []int{3, 4}, Socket: "/\u00ff"}.Encode())
	f.Add(`{"VictimPID":1,"Open":[3]}`)
	f.Fuzz(func(t *testing.T, line string) {
		v, err := DecodeVictims(line)
		if err != nil {
			return
		}
		if v.VictimPID < 0 || v.SupervisorPID < 0 || v.Worker < 0 {
			t.Errorf("%q: a pid that stands for others: %+v", line, v)
		}
		back, err := DecodeVictims(v.Encode())
		if err != nil || !cmp.Equal(v, back) {
			t.Errorf("%q: %v: %s", line, err, cmp.Diff(v, back))
		}
	})
}

func FuzzDecodeReport(f *testing.F) {
	f.Add(Report{"F1", OutcomeStopped, "x \"y\"\n"}.Encode())
	f.Add(`{"Row":"a","Outcome":"b","Detail":"c"}`)
	f.Fuzz(func(t *testing.T, line string) {
		found, err := DecodeReport(line)
		if err != nil {
			return
		}
		back, err := DecodeReport(found.Encode())
		if err != nil || back != found {
			t.Errorf("%q: %+v, %+v, %v", line, found, back, err)
		}
	})
}

// TestCloneArgs_Size_EqualsKernelStruct: for the kernel, the size of struct clone_args is its
// version.
func TestCloneArgs_Size_EqualsKernelStruct(t *testing.T) {
	if size := binary.Size(cloneArgs{}); size != 64 { // 64 is CLONE_ARGS_SIZE_VER0
		t.Errorf("%d bytes", size)
	}
}
