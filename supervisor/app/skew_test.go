package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/protocol/spawnwire"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// installOtherVersion replaces a program by one with another version of the wire protocol. It
// builds the program from the same sources, with another number in a file.
func installOtherVersion(l *gatedService, program, file string, version int) {
	l.T.Helper()
	line, other := fmt.Sprintf("const Version = %d", version), fmt.Sprintf("const Version = %d", version-1)
	root, err := filepath.Abs("../..")
	if err != nil {
		l.T.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil || strings.Count(string(source), line) != 1 {
		l.T.Fatalf("%s does not hold %q once; %v", file, line, err)
	}
	l.write("other.go", strings.Replace(string(source), line, other, 1))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, file): filepath.Join(l.Dir, "other.go")}})
	if err != nil {
		l.T.Fatal(err)
	}
	l.write("overlay.json", string(overlay))
	if err := os.Remove(filepath.Join(l.Bin, program)); err != nil {
		l.T.Fatal(err)
	}
	build := exec.CommandContext(l.T.Context(), "go", "build", "-overlay", filepath.Join(l.Dir, "overlay.json"), "-trimpath",
		"-ldflags", apptest.LinkerFlags, "-o", filepath.Join(l.Bin, program), "mews/cmd/"+program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		l.T.Fatalf("build another %s: %v: %s", program, err, out)
	}
}

// reinstall restores the original programs.
func reinstall(l *gatedService) {
	l.Bin = apptest.LinkProgramsInTestFolder(l.T, apptest.BuildPrograms(l.T))
}

// runVerb returns the output of a command of `mews`, and ignores its exit status.
func runVerb(l *gatedService, args ...string) string {
	out, _ := exec.CommandContext(l.T.Context(), filepath.Join(l.Bin, "mews"), append(args, "--config", l.Config)...).CombinedOutput()
	return string(out)
}

// The user is told once what is wrong, and `mews status` and `mews doctor` say what to do. The
// worker does not count as crashed. Once all programs have the same version, the message is
// answered.
func TestWorker_OtherVersion_IsRefused(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, role: admin, totp: 'off'")
	installOtherVersion(l, "mews-worker", "protocol/hello.go", protocol.Version)
	l.Start()
	const why = "can't be started: its program is of another version than the service. An admin has to install mews, mews-spawner and " +
		"mews-worker of one release together, and then restart Mews"
	l.sayAndAwait("bob", "hello?", "Your assistant "+why+". I try again from time to time")
	l.sayAndAwait("bob", "/status", "• mews")
	for what, said := range map[string]string{"/status": l.told("bob")[1], "status": runVerb(l, "status"), "doctor": runVerb(l, "doctor")} {
		if !strings.Contains(said, why) || strings.Contains(said, "death") || strings.Contains(said, "broken") {
			t.Errorf("%s says\n%s", what, said)
		}
	}
	if met := fmt.Sprintf("hello: protocol %d, want %d: the binaries", protocol.Version,
		protocol.Version-1); !strings.Contains(l.LogTail(), met) {
		t.Errorf("the log does not say which versions met")
	}
	l.Stop()
	reinstall(l)
	l.Start()
	l.awaitTold("bob", 2, "echo: hello?")
	if said := runVerb(l, "status"); strings.Contains(said, "can't be started") {
		t.Errorf("status says\n%s", said)
	}
	l.Stop()
}

// If the spawner has another version, the service does not start. The error names the programs to
// install.
func TestSpawner_OtherVersion_IsRefused(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: 'off'")
	installOtherVersion(l, "mews-spawner", "protocol/spawnwire/doc.go", spawnwire.Version)
	want := fmt.Sprintf("it speaks version %d, want %d: install mews, mews-spawner and mews-worker of one release together, and then start Mews again",
		spawnwire.Version-1, spawnwire.Version)
	for _, args := range []string{"run", "doctor"} {
		if said := runVerb(l, args); !strings.Contains(said, want) {
			t.Errorf("mews %s says\n%s", args, said)
		}
	}
	if n := l.bot.CountCalls("getUpdates"); n != 0 {
		t.Errorf("Telegram was asked for updates %d times", n)
	}
}

// If mews-worker is of another release, the service does not start, even if both speak the same
// protocol.
func TestRun_WorkerOfOtherRelease_IsRefused(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: 'off'")
	worker := filepath.Join(l.Bin, "mews-worker")
	for _, err := range []error{os.Remove(worker), // the file is a link to the program of all tests
		os.WriteFile(worker, []byte("#!/bin/sh\necho mews-worker v0\n"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"run", "doctor"} {
		want := worker + " is of version v0, and this mews is of version test: install mews, "
		if said := runVerb(l, args); !strings.Contains(said, want) {
			t.Errorf("mews %s says\n%s\nwant %s", args, said, want)
		}
	}
	if n := l.bot.CountCalls("getUpdates"); n != 0 {
		t.Errorf("Telegram was asked for updates %d times", n)
	}
}
