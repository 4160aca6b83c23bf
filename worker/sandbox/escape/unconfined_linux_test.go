package escape

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWithoutWalls_EachProbe_Escapes shows that the suite can fail: a process without walls escapes
// in every row, except those in which the kernel alone stops an unprivileged process.
func TestWithoutWalls_EachProbe_Escapes(t *testing.T) {
	r := newHarness(t)
	var findings []Report
	for _, p := range AllProbes() {
		if p.Heavy {
			continue
		}
		cmd := r.attempt("try", p.Row, r.own())
		cmd.ExtraFiles = []*os.File{inheritable(t)} // this descriptor is the victim of row D1
		f := r.finding(cmd)
		findings = append(findings, f)
		if want := r.wantUnconfined(p); f.Outcome != want && whyDifferent(r, f) == "" {
			t.Errorf("%s, %s: %s (%s), want %s", p.Row, p.What, f.Outcome, f.Detail, want)
		}
	}
	r.wantNothingLeft()
	r.logFindings("without walls", findings)
}

func inheritable(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// wantUnconfined returns the expected outcome of a row for an unprivileged process without walls.
// Without a second account some rows cannot be tried.
func (r *harness) wantUnconfined(p Probe) Outcome {
	alone := []string{"F2", "F4", "F15", "P1", "S2"}
	switch {
	case !r.root && slices.Contains(alone, p.Row):
		return OutcomeUntried
	case p.Kernel:
		return OutcomeStopped
	}
	return OutcomeEscaped
}

// difference explains why the outcome of a row may differ from the first measurement on another
// machine.
type difference struct {
	rows string // names of the rows, each with a space behind it
	why  string
	here func(r *harness, f Report) bool
}

func differences() []difference {
	return []difference{
		{"P3 P4 P6 F13 ", "Yama lets nobody trace", hasSetting("kernel/yama/ptrace_scope", "2", "3")},
		{"K3 K4 K5 ", "user namespaces are off", hasSetting("user/max_user_namespaces", "0")},
		{"K3 K4 K5 ", "user namespaces are for root", hasSetting("kernel/unprivileged_userns_clone", "0")},
		{"K3 K4 K5 ", "AppArmor restricts them", hasSetting("kernel/apparmor_restrict_unprivileged_userns", "1")},
		{"K7 ", "everybody may load filters", hasSetting("kernel/unprivileged_bpf_disabled", "0")},
		{"Q1 ", "the kernel has no asynchronous I/O", kernelLacks},
		{"Q7 Q8 ", "the machine is small", func(_ *harness, f Report) bool {
			return strings.Contains(f.Detail, "EAGAIN") || strings.Contains(f.Detail, "ENOMEM")
		}},
		{"K8 ", "io_uring is off", hasSetting("kernel/io_uring_disabled", "1", "2")},
		{"K10 ", "perf is for root", hasSetting("kernel/perf_event_paranoid", "3", "4")},
		{"K11 ", "before Linux 6.13 no handle is for everybody", func(*harness, Report) bool {
			return olderThan(6,
				13)
		}},
		{"N6 K16 ", "the kernel offers it to everybody", func(_ *harness,
			f Report) bool {
			return f.Outcome == OutcomeEscaped
		}},
		{"N2 N5 N11 K6 K8 K9 K14 ", "the kernel has none, nor has root", kernelLacks},
		{"K19 S2 ", "the test runs with no_new_privs", hasStatusLine("NoNewPrivs:\t1")},
		{"", "the test runs behind a filter", hasStatusLine("Seccomp:\t2")},
	}
}

// whyDifferent explains why a finding may differ from the expected outcome; "" means that it must
// not differ.
func whyDifferent(r *harness, f Report) string {
	for _, d := range differences() {
		filtered := d.rows == "" && strings.ContainsAny(f.Row[:1], "PNK")
		named := strings.Contains(" "+d.rows, " "+f.Row+" ")
		if (filtered || named) && d.here(r, f) {
			r.t.Logf("%s: %s", f.Row, d.why)
			return d.why
		}
	}
	return ""
}

// hasSetting reports whether a setting of the kernel has one of these values.
func hasSetting(name string, values ...string) func(*harness, Report) bool {
	return func(*harness, Report) bool {
		value, err := os.ReadFile(filepath.Join("/proc/sys", name))
		return err == nil && slices.Contains(values, strings.TrimSpace(string(value)))
	}
}

// hasStatusLine reports whether the test's own process has this line in its status.
func hasStatusLine(line string) func(*harness, Report) bool {
	return func(*harness, Report) bool {
		text, err := os.ReadFile("/proc/self/status")
		return err == nil && strings.Contains(string(text), "\n"+line+"\n")
	}
}

func olderThan(major, minor int) bool {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return false
	}
	var has [2]int
	for i, word := range strings.SplitN(unix.ByteSliceToString(name.Release[:]), ".", 3)[:2] {
		for _, c := range word {
			has[i] = 10*has[i] + int(c-'0')
		}
	}
	return has[0] < major || has[0] == major && has[1] < minor
}

// kernelLacks reports whether a process without walls gets the answer that the kernel lacks the
// feature.
func kernelLacks(r *harness, f Report) bool {
	detail := r.finding(r.attempt("try", f.Row, nil)).Detail
	for _, name := range []string{"ENOSYS", "EAFNOSUPPORT", "ENETUNREACH"} {
		if strings.Contains(detail, name) {
			return true
		}
	}
	return false
}

// TestRootWithoutWalls_KernelProbes_Escape shows that rows which the kernel alone stops can escape:
// as root they escape.
func TestRootWithoutWalls_KernelProbes_Escape(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it tries what only root may do")
	}
	r := newHarness(t)
	var findings []Report
	for _, p := range AllProbes() {
		if !p.Kernel {
			continue
		}
		f := r.finding(r.attempt("try", p.Row, nil))
		findings = append(findings, f)
		needs, ok := rootRows()[p.Row]
		// a kernel without modules gives another answer
		if ok && hasPowers(t, needs...) && f.Outcome != OutcomeEscaped && !strings.Contains(f.Detail, "ENOSYS") {
			t.Errorf("%s, %s: %s (%s), want escaped", p.Row, p.What, f.Outcome, f.Detail)
		}
	}
	r.wantNothingLeft()
	r.logFindings("root, without walls", findings)
}

// rootRows returns the rows in which root escapes on any machine, if it has the capabilities.
func rootRows() map[string][]int {
	reading := []int{unix.CAP_DAC_OVERRIDE}
	return map[string][]int{
		"F1": reading, "F2": reading, "F4": {unix.CAP_SYS_PTRACE}, "F7": reading, "F15": reading,
		"F18": {unix.CAP_SYS_RESOURCE}, "F21": {unix.CAP_MKNOD},
		"P1": {unix.CAP_KILL}, "N4": {unix.CAP_NET_RAW}, "N7": {unix.CAP_NET_RAW},
		"K1": {unix.CAP_SYS_ADMIN}, "K2": {unix.CAP_SYS_ADMIN}, "K7": {unix.CAP_SYS_ADMIN, unix.CAP_BPF},
		"K12": {unix.CAP_SYS_CHROOT}, "K17": {unix.CAP_SYS_MODULE}, "K18": reading,
	}
}

// hasPowers reports whether this process has capabilities over the whole machine, and no filter.
func hasPowers(t *testing.T, caps ...int) bool {
	t.Helper()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		t.Fatal(err)
	}
	for _, c := range caps {
		if sets[c/32].Effective&(1<<(c%32)) == 0 {
			return false
		}
	}
	whole, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Contains(string(whole), "4294967295") && !hasStatusLine("Seccomp:\t2")(nil, Report{})
}

// wantNothingLeft checks that rows have left nothing behind.
func (r *harness) wantNothingLeft() {
	r.t.Helper()
	above := filepath.Dir(r.victims.OwnOutside)
	for _, dir := range []string{r.victims.Workspace, r.victims.History, above, "/etc"} {
		if left, err := filepath.Glob(dir + "/.mews-*"); err != nil || len(left) != 0 {
			r.t.Errorf("left behind: %v, %v", left, err)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || strings.Contains(string(mounts), r.dir) {
		r.t.Errorf("something is mounted in the harness's folder, or that cannot be seen: %v", err)
	}
}

// TestProtocol_ToolHasSocket_Escapes tries row D2 with a socket as standard output, like a
// worker's.
func TestProtocol_ToolHasSocket_Escapes(t *testing.T) {
	r := newHarness(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	r.must(err)
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	cmd := r.attempt("try", "D2", r.own())
	cmd.Stdout = theirs
	r.must(cmd.Start())
	theirs.Close()
	r.wantLine(ours, Report{Row: "D2", Outcome: OutcomeEscaped, Detail: "descriptor 1 is a socket"})
	r.must(cmd.Wait())
}

// TestDescriptors_GivenOnPurpose_AreNoEscape tries row D1 with only descriptors that were given on
// purpose.
func TestDescriptors_GivenOnPurpose_AreNoEscape(t *testing.T) {
	r := newHarness(t)
	if f := r.finding(r.attempt("try", "D1", r.own())); f.Outcome != OutcomeStopped {
		t.Errorf("with nothing: %+v", f)
	}
	for open, want := range map[int]Outcome{3: OutcomeStopped, 4: OutcomeEscaped} {
		r.victims.Open = []int{open}
		cmd := r.attempt("try", "D1", r.own())
		cmd.ExtraFiles = []*os.File{inheritable(t)}
		if f := r.finding(cmd); f.Outcome != want {
			t.Errorf("with descriptor 3, where %d is right: %+v, want %s", open, f, want)
		}
	}
}

// Row E1 of the escapes succeeds if the environment has a secret.
func TestEnvironment_WithSecret_Escapes(t *testing.T) {
	r := newHarness(t)
	cmd := r.attempt("try", "E1", r.own())
	cmd.Env = append(cmd.Env, "TOKEN="+r.victims.Secret)
	if f := r.finding(cmd); f.Outcome != OutcomeEscaped {
		t.Errorf("%+v", f)
	}
}

// TestRootPrograms_NotSetUID_AreNoEscape tries row S2 with a program that is not set-uid.
func TestRootPrograms_NotSetUID_AreNoEscape(t *testing.T) {
	r := newHarness(t)
	if !r.root {
		t.Skip("only root can give the victim a program of root's")
	}
	r.chmod(r.victims.SetUID, 0o755)
	if f := r.finding(r.attempt("try", "S2", r.own())); f.Outcome != OutcomeStopped {
		t.Errorf("%+v", f)
	}
}
