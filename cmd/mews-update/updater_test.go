package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/release"
)

var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// machine is a fake of systemd and of the services that it runs, below a root folder.
type machine struct {
	*testing.T
	root    string
	keys    release.Keys
	private ed25519.PrivateKey
	now     time.Time
	steps   int // number of the step after which the run is interrupted; 0 means none
	log     bytes.Buffer

	runs   map[instance]string // the version that runs; "" means that it is stopped
	opened map[instance]string // the newest version that has opened, as the database has it

	failsPreflight, diesBefore, diesAfter string // versions that do so

	account    string // the User of the units
	failsAsked bool   // the database can't be asked whether it has gone over
}

func newMachine(t *testing.T, instances ...instance) *machine {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{T: t, root: t.TempDir(), keys: release.Keys{public, second}, private: private, now: today,
		runs: map[instance]string{}, opened: map[instance]string{}, account: "mews"}
	m.try(os.MkdirAll(filepath.Join(m.root, versions), 0o755))
	m.try(release.Unpack(bytes.NewReader(m.archive("v1.0.0")), filepath.Join(m.root, versions, "v1.0.0")))
	m.try(os.Symlink("versions/v1.0.0", filepath.Join(m.root, release.UpdaterLink)))
	for _, i := range instances {
		m.try(os.Symlink("versions/v1.0.0", filepath.Join(m.root, i.link())))
		m.try(os.MkdirAll(filepath.Join(m.root, i.state(), "private"), 0o700))
		m.runs[i], m.opened[i] = "v1.0.0", "v1.0.0"
	}
	return m
}

func (m *machine) try(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// archives are the packed releases by their versions.
var archives = map[string][]byte{}

// archive packs a release whose programs hold their version.
func (m *machine) archive(version string) []byte {
	m.Helper()
	if archives[version] != nil {
		return bytes.Clone(archives[version])
	}
	dir := m.TempDir()
	for _, name := range release.Programs {
		m.try(os.WriteFile(filepath.Join(dir, name), []byte(version), 0o700))
	}
	var b bytes.Buffer
	m.try(release.Pack(&b, dir, "mews", today))
	archives[version] = b.Bytes()
	return bytes.Clone(b.Bytes())
}

// index returns a signed index of one version with this archive.
func (m *machine) index(number int, version string, archive []byte) (release.Index, release.Release) {
	m.Helper()
	v, err := release.ParseVersion(version)
	m.try(err)
	sum := sha256.Sum256(archive)
	r := release.Release{Version: v, Platform: "linux/amd64", Size: int64(len(archive)),
		SHA256: hex.EncodeToString(sum[:]), File: "mews.tar.gz"}
	return release.Index{Number: number, Issued: today.Truncate(24 * time.Hour), Releases: []release.Release{r}}, r
}

// ask writes a request of an instance.
func (m *machine) ask(i instance, version string) {
	m.Helper()
	archive := m.archive(version)
	x, r := m.index(2, version, archive)
	m.try(release.WriteRequest(filepath.Join(m.root, i.state()), r, x.Sign(m.private), bytes.NewReader(archive)))
}

// update runs the updater, until its end or the next interruption.
func (m *machine) update() error {
	left := m.steps
	u := &updater{root: m.root, keys: m.keys, platform: "linux/amd64", now: func() time.Time { return m.now },
		sleep: func(d time.Duration) { m.now = m.now.Add(d) }, command: m.command, log: &m.log,
		done: func(string) error {
			m.checkWhole()
			if left--; left == 0 {
				return errInterrupted
			}
			return nil
		}}
	return u.run()
}

// checkWhole checks that each link leads to a whole version. The version that installs updates is
// never newer than an instance.
func (m *machine) checkWhole() {
	m.Helper()
	updater := m.leadsTo(release.UpdaterLink)
	for i := range m.runs {
		if has := m.leadsTo(i.link()); has.Compare(updater) < 0 {
			m.Errorf("mews-update of %s installs updates, and %q has %s", updater, i, has)
		}
		target, err := os.Readlink(filepath.Join(m.root, i.link()))
		for _, name := range release.Programs {
			text, readErr := os.ReadFile(filepath.Join(m.root, i.link(), name))
			if err != nil || readErr != nil || "versions/"+string(text) != target {
				m.Errorf("%s of %q is %q, %v", name, target, text, errors.Join(err, readErr))
			}
		}
	}
}

// leadsTo returns the version that a link leads to.
func (m *machine) leadsTo(link string) release.Version {
	m.Helper()
	target, err := os.Readlink(filepath.Join(m.root, link))
	m.try(err)
	version, err := release.ParseVersion(strings.TrimPrefix(target, "versions/"))
	m.try(err)
	return version
}

// exit is a program's exit status.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exit) ExitCode() int { return int(e) }

// command runs a command as systemd and the programs would.
func (m *machine) command(args ...string) (string, error) {
	failed := exit(1)
	line := strings.Join(args, " ")
	for i := range m.runs {
		if !strings.Contains(line+" ", i.unit()+" ") && !strings.Contains(line+" ", m.root+"/"+i.config()+" ") {
			continue
		}
		switch {
		case strings.HasPrefix(line, "systemctl show -P User"):
			return m.account + "\n", nil
		case strings.HasPrefix(line, "systemctl is-active"):
			if m.runs[i] == "" {
				return "inactive\n", failed
			}
			if v := m.runs[i]; v == m.diesBefore { // between two starts
				return "failed\n", failed
			}
			return "active\n", nil
		case strings.HasPrefix(line, "systemctl stop"):
			m.runs[i] = ""
			return "", nil
		case strings.HasPrefix(line, "systemctl restart"), strings.HasPrefix(line, "systemctl start"):
			m.start(i)
			if v := m.runs[i]; v == m.diesBefore && !strings.Contains(line, " --no-block ") {
				return "Job for the unit failed", failed // systemd waits for READY
			}
			return "", nil
		case strings.HasPrefix(line, "systemd-run "):
			return m.transient(i, line)
		}
	}
	m.Errorf("there is no such command: %q", args)
	return "", failed
}

func (m *machine) start(i instance) {
	version, err := os.ReadFile(filepath.Join(m.root, i.link(), "mews"))
	m.try(err)
	m.runs[i] = string(version)
	if m.runs[i] != m.diesBefore {
		m.opened[i] = m.runs[i]
	}
}

// transient runs a version's preflight.
func (m *machine) transient(i instance, line string) (string, error) {
	for _, want := range []string{"User=mews", "PrivateNetwork=yes", "ReadWritePaths=" + m.root + "/" + i.state()} {
		if !strings.Contains(line, want) {
			m.Errorf("%s has no %s", line, want)
		}
	}
	switch {
	case strings.Contains(line, "/mews status --json "):
		if v := m.runs[i]; v == "" || v == m.diesBefore || v == m.diesAfter {
			return "", exit(1)
		}
		return fmt.Sprintf("{\n  \"version\": %q,\n}", m.runs[i]), nil
	case strings.Contains(line, "/mews preflight --opened "):
		if m.failsAsked {
			return "the disk is full", exit(1)
		}
		if !strings.Contains(line, m.opened[i]+"/mews ") {
			return "", exit(release.ExitNotOpened)
		}
	case m.failsPreflight != "" && strings.Contains(line, m.failsPreflight):
		return "the walls do not hold", exit(1)
	}
	return "1\n", nil
}

const other = instance("-two")

// TestUpdate_KilledAfterEachStep_IsFinished kills the updater after each of its steps.
func TestUpdate_KilledAfterEachStep_IsFinished(t *testing.T) {
	for name, c := range map[string]struct {
		diesBefore, diesAfter string
		want, wantOther       string // versions at the end
	}{
		"good":                 {"", "", "v1.1.0", "v1.1.0"},
		"dies before":          {"v1.1.0", "", "v1.0.0", "v1.0.0"},
		"dies after it opened": {"", "v1.1.0", "v1.1.0", "v1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			for step := 1; ; step++ {
				m := newMachine(t, "", other)
				m.diesBefore, m.diesAfter, m.steps = c.diesBefore, c.diesAfter, step
				m.ask("", "v1.1.0")
				interrupted := errors.Is(m.update(), errInterrupted)
				m.checkWhole()
				m.steps = 0
				for range 3 { // the path unit starts it again while the request is there
					err := m.update()
					if errors.Is(err, errInterrupted) {
						t.Fatal(err)
					}
				}
				m.checkWhole()
				want := []string{c.want, c.wantOther}
				got := []string{m.runs[""], m.runs[other]}
				if c.diesAfter == "" && !slices.Equal(got, want) {
					t.Errorf("after step %d: %q run, want %q\n%s", step, got, want, m.log.String())
				}
				for i, opened := range m.opened {
					if version, _ := os.ReadFile(filepath.Join(m.root, i.link(), "mews")); string(version) < opened {
						t.Errorf("after step %d: %q opened, the link of %q leads to %q", step, opened, i, version)
					}
				}
				if tried := strings.Count(m.log.String(), "was not installed"); tried > 1 {
					t.Errorf("after step %d: tried %d times\n%s", step, tried, &m.log)
				}
				if left, _ := filepath.Glob(filepath.Join(m.root, ours, "trial*")); left != nil {
					t.Errorf("after step %d: left %q", step, left)
				}
				request := release.RequestPath(filepath.Join(m.root, instance("").state()))
				if _, err := os.Lstat(request); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("after step %d: the request is left: %v", step, err)
				}
				if !interrupted {
					if step < 5 {
						t.Errorf("there were only %d steps", step)
					}
					return
				}
			}
		})
	}
}

func TestUpdate_BadRequest_IsRefusedInWords(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(m *machine, folder string)
		want  string
	}{
		"wrong signature": {func(m *machine, folder string) {
			x, _ := m.index(3, "v1.1.0", m.archive("v1.1.0"))
			_, foreign, err := ed25519.GenerateKey(nil)
			m.try(err)
			m.try(os.WriteFile(filepath.Join(folder, "index"), x.Sign(foreign), 0o600))
		}, "no release key"},
		"truncated": {func(m *machine, folder string) { m.try(os.Truncate(filepath.Join(folder, "archive"), 100)) },
			"it was cut off"},
		"swapped after the check": {func(m *machine, folder string) {
			text, err := os.ReadFile(filepath.Join(folder, "archive"))
			m.try(err)
			text[len(text)/2] ^= 1
			m.try(os.WriteFile(filepath.Join(folder, "archive"), text, 0o600))
		}, "it was changed"},
		"downgrade": {func(m *machine, folder string) {
			x, _ := m.index(3, "v0.9.0", m.archive("v0.9.0"))
			m.try(errors.Join(os.WriteFile(filepath.Join(folder, "index"), x.Sign(m.private), 0o600),
				os.WriteFile(filepath.Join(folder, "request"), []byte("v0.9.0"), 0o600)))
		}, "installs no older version"},
		"last year's index": {func(m *machine, _ string) { m.now = m.now.AddDate(1, 0, 0) }, "was valid until"},
		"lower number": {func(m *machine, _ string) {
			m.try(os.MkdirAll(filepath.Join(m.root, ours), 0o755))
			m.try(os.WriteFile(filepath.Join(m.root, ours, "number"), []byte("3"), 0o600))
		}, "number 3 was seen before"},
		"a link": {func(m *machine, folder string) {
			index := filepath.Join(folder, "index")
			m.try(errors.Join(os.Remove(index), os.Symlink("/etc/passwd", index)))
		}, "not readable"},
		"a folder": {func(m *machine, folder string) {
			index := filepath.Join(folder, "index")
			m.try(errors.Join(os.Remove(index), os.Mkdir(index, 0o700)))
		}, "no regular file"},
		"no words": {func(m *machine, folder string) { m.try(os.Truncate(filepath.Join(folder, "request"), 0)) },
			"not readable"},
		"fails its tests": {func(m *machine, _ string) { m.failsPreflight = "v1.1.0" }, "the walls do not hold"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "")
			m.ask("", "v1.1.0")
			folder := release.RequestPath(filepath.Join(m.root, instance("").state()))
			c.spoil(m, folder)
			if err := m.update(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			result, err := os.ReadFile(filepath.Join(m.root, ours, "result"))
			if err != nil || !strings.Contains(string(result), c.want) || m.runs[""] != "v1.0.0" {
				t.Errorf("%q, %v; %q runs", result, err, m.runs[""])
			}
			m.checkWhole()
			if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the request is left: %v", err)
			}
		})
	}
}

// TestUpdate_LeftoverLink_IsNoInstance: killed installers and updaters leave links behind.
func TestUpdate_LeftoverLink_IsNoInstance(t *testing.T) {
	m := newMachine(t, "", other)
	for _, name := range []string{"current.part", "current-lab.part", "current-lab.partial", "currently"} {
		m.try(os.Symlink("versions/v1.0.0", filepath.Join(m.root, "opt/mews", name)))
	}
	m.ask("", "v1.1.0")
	m.try(m.update())
	for _, link := range []string{release.UpdaterLink, instance("").link(), other.link()} {
		if got := m.leadsTo(link).String(); got != "v1.1.0" {
			t.Errorf("%s leads to %s", link, got)
		}
	}
}

func TestUpdate_AcceptOld_NeedsRootsFile(t *testing.T) {
	for accepted, want := range map[string]bool{"": false, "v1.0.0": false, "v1.1.0": true} {
		m := newMachine(t, "")
		m.ask("", "v1.1.0")
		m.try(os.MkdirAll(filepath.Join(m.root, ours), 0o755))
		m.try(os.WriteFile(filepath.Join(m.root, ours, release.AcceptOldName), []byte(accepted), 0o600))
		m.now = m.now.AddDate(1, 0, 0)
		if err := m.update(); (err == nil) != want {
			t.Errorf("root accepts %q: %v", accepted, err)
		}
	}
}

func TestUpdate_StoppedInstance_StaysStopped(t *testing.T) {
	m := newMachine(t, "", other)
	m.runs[other] = ""
	m.ask("", "v1.1.0")
	m.try(m.update())
	target, _ := os.Readlink(filepath.Join(m.root, other.link()))
	if m.runs[other] != "" || target != "versions/v1.1.0" {
		t.Errorf("%q runs, and the link leads to %q", m.runs[other], target)
	}
}

// TestUpdate_DatabaseUnreadable_StaysNew: an instance returns only if its database has not gone over.
func TestUpdate_DatabaseUnreadable_StaysNew(t *testing.T) {
	m := newMachine(t, "")
	m.diesAfter, m.failsAsked = "v1.1.0", true
	m.ask("", "v1.1.0")
	err := m.update()
	if err == nil || !strings.Contains(err.Error(), "the disk is full") || m.runs[""] != "v1.1.0" {
		t.Errorf("%q runs: %v", m.runs[""], err)
	}
	failed, _ := os.ReadFile(filepath.Join(m.root, ours, release.FailedName))
	if string(failed) != "v1.1.0" {
		t.Errorf("%q is kept as the failed version", failed)
	}
}

func TestUpdate_NoAccount_IsRefused(t *testing.T) {
	for _, account := range []string{"", "root", "0"} {
		m := newMachine(t, "")
		m.account = account
		m.ask("", "v1.1.0")
		if err := m.update(); err == nil || m.runs[""] != "v1.0.0" {
			t.Errorf("User=%s: %q runs: %v", account, m.runs[""], err)
		}
	}
}

// TestUpdate_PlainFile_IsRemoved: a bad request holds up no other instance.
func TestUpdate_PlainFile_IsRemoved(t *testing.T) {
	m := newMachine(t, "", other)
	path := release.RequestPath(filepath.Join(m.root, instance("").state()))
	m.try(errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)))
	m.ask(other, "v1.1.0")
	m.try(m.update())
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) || m.runs[other] != "v1.1.0" {
		t.Errorf("%v; %q runs\n%s", err, m.runs[other], &m.log)
	}
}

func TestUpdate_FiveVersions_ThreeStay(t *testing.T) {
	m := newMachine(t, "")
	for _, v := range []string{"v1.1.0", "v1.2.0", "v1.10.0", "v2.0.0"} {
		m.ask("", v)
		m.try(m.update())
	}
	left, err := filepath.Glob(filepath.Join(m.root, versions, "*"))
	m.try(err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != "v1.10.0 v1.2.0 v2.0.0" {
		t.Errorf("left: %s", got)
	}
}
