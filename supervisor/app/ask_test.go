package app

import (
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor/admin"
	"mews/supervisor/statefolder"
)

// TestCallAdminService_LockHeld_WaitsForIt: while another command holds the lock of the state folder,
// the call waits.
func TestCallAdminService_LockHeld_WaitsForIt(t *testing.T) {
	c := newCommandLine(t, false)
	c.mustRun("user", "list")
	cfg, err := readConfig(c.file)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := statefolder.LockFolder(filepath.Join(c.dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	released := make(chan error, 1)
	time.AfterFunc(100*time.Millisecond, func() { released <- lock.Close() }) // the call waits for longer
	if _, err := CallAdminService[admin.EnrolledFactor](t.Context(), cfg, admin.MethodTotpEnroll,
		admin.UserRequest{User: "ben"}); err != nil {
		t.Error(err)
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
}
