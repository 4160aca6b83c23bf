package spawn

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol/spawnwire"
)

// tellStates is the role of mews that tells each state of a service. Its environment must not have
// the service manager's socket.
func tellStates([]string) error {
	for _, name := range managerVariables {
		if value, ok := os.LookupEnv(name); ok {
			return fmt.Errorf("mews has %s=%s", name, value)
		}
	}
	conn, err := spawnwire.NewConn(3)
	if err != nil {
		return err
	}
	for _, m := range []spawnwire.AliveRequest{
		{State: spawnwire.StateStarting}, {State: spawnwire.StateReady, Text: "People: 3.\nMAINPID=1"},
		{State: spawnwire.StateAlive}, {State: spawnwire.StateStopping, Text: "Stops."},
	} {
		err = errors.Join(err, conn.Send(m, deadline))
	}
	_, failed := io.Copy(io.Discard, os.Stdin) // until the test has read them
	return errors.Join(err, failed)
}

// TestManager_EachState_IsPassedOn: the service manager listens at a path or at an abstract name. A
// status can't contain another line.
func TestManager_EachState_IsPassedOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	abstract := fmt.Sprintf("@mews-test-%d", os.Getpid())
	for _, name := range []string{path, abstract} {
		listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("NOTIFY_SOCKET", name)
		t.Setenv("WATCHDOG_USEC", "60000000")
		if err := listener.SetReadDeadline(time.Now().Add(deadline)); err != nil {
			t.Fatal(err)
		}
		s := startSupervised(t, nil, copyOf(t, t.TempDir()), "tell")
		for _, want := range []string{startExtension, "READY=1\nWATCHDOG=1\nSTATUS=People: 3. MAINPID=1", "WATCHDOG=1",
			"STOPPING=1\nSTATUS=Stops."} {
			got := make([]byte, 1<<10)
			n, err := listener.Read(got)
			if err != nil || string(got[:n]) != want {
				t.Errorf("%s got %q, %v; want %q", name, got[:n], err, want)
			}
		}
		_ = s.stdin.Close()
		s.wantStatus(0)
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestManager_BadSocket_IsRefused(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "vsock:2:1")
	if m, err := findManager(); err == nil || !strings.Contains(err.Error(), "NOTIFY_SOCKET") {
		t.Errorf("%+v, %v", m, err)
	}
}
