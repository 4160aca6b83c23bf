package spawn

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol/spawnwire"
)

// reader is a worker that needs no library, because a worker for reviews sees no library. It prints
// its identity and its folder.
const reader = `package main

import (
	"os"
	"strconv"
	"syscall"
)

func main() {
	text := strconv.Itoa(os.Getuid()) + " " + strconv.Itoa(os.Getpid())
	entries, _ := os.ReadDir("/")
	for _, e := range entries {
		text += " " + e.Name()
	}
	_, err := os.ReadDir("/home")
	text += ";" + strconv.FormatBool(err == nil) + " " + strconv.Itoa(len(os.Environ())) + "\n"
	syscall.Write(1, []byte(text))
}
`

// A worker for reviews finds neither a home nor a program. The privilege of its spawner does not
// matter.
func TestReviewWorker_HasNoHomeOrPrograms(t *testing.T) {
	dir := makeHomesFolder(t)
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "reader")
	if err := os.WriteFile(source, []byte(reader), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for privilege, attr := range spawners() {
		for _, tier := range []string{"accounts", "namespaces", "landlock"} {
			if privilege == "nothing" && tier == "accounts" {
				continue
			}
			t.Run(privilege+" "+tier, func(t *testing.T) {
				r := start(t, setup{attr: attr, policy: []string{"worker=" + program, "sandbox=" + tier, "sandbox_min=off"}})
				r.mustRefuse(spawnwire.SpawnRequest{ID: 1, Root: r.root, Path: ".", Profile: "review"}, "has none")
				want := fmt.Sprintf("%d 1 dev etc proc run var workspaces;false 1\n", workersUID())
				// here the worker shares the host's processes, and can list no folder
				if tier == "landlock" {
					want = ";false 1\n"
				}
				if got := r.runReader(2); !strings.HasSuffix(got, want) {
					t.Errorf("it says %q, want %q", got, want)
				}
			})
		}
	}
}

// runReader starts a reading worker, and returns its output.
func (r *harness) runReader(id uint64) string {
	r.t.Helper()
	file, stderr := r.request(spawnwire.SpawnRequest{ID: id, Profile: "review"})
	defer stderr.Close()
	socket, err := net.FileConn(file)
	if err != nil {
		r.t.Fatal(err)
	}
	defer socket.Close()
	if err := file.Close(); err != nil {
		r.t.Fatal(err)
	}
	nextMessage[spawnwire.StartedMessage](r)
	if err := socket.SetDeadline(time.Now().Add(deadline)); err != nil {
		r.t.Fatal(err)
	}
	said, err := bufio.NewReader(socket).ReadString('\n')
	if err != nil && err != io.EOF {
		r.t.Fatal(err)
	}
	if said == "" {
		why, _ := io.ReadAll(stderr)
		r.t.Errorf("it died: %s", why)
	}
	nextMessage[spawnwire.ExitedMessage](r)
	return said
}
