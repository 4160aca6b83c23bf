package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// changeDatabase runs SQL statements in a service's database behind the service's back.
func changeDatabase(t *testing.T, s *service, statements string) {
	t.Helper()
	sqlitetest.ExecStatements(t, s.db, statements)
}

// When a terminal's message with a secret picture expires, the picture is deleted from the spool.
func TestSecretPicture_Expires_LeavesSpool(t *testing.T) {
	const secretStands = 10 * time.Minute
	c := newCommandLine(t, true)
	outbox := c.s.db.Outbox()
	shown := func(name string, vanish time.Duration) string {
		file, err := generatedFileStore{c.s.spool}.StorePicture(name, []byte(name))
		must(t, err)
		d, err := outbox.SendNotice(t.Context(), supervisor.Delivery{Text: name, Files: []supervisor.File{file},
			DeleteAfter:  vanish,
			Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}})
		must(t, err)
		must(t, outbox.MarkDelivered(t.Context(), d.ID))
		return file.SHA256
	}
	secret, chart := shown("invite.png", secretStands), shown("chart.png", 0)
	there := func(sha string) bool {
		_, _, err := c.s.spool.ReadAt(sha, make([]byte, 1), 0)
		if err != nil && !errors.Is(err, spool.ErrBlobGone) {
			t.Error(err)
		}
		return err == nil
	}
	for _, at := range []struct {
		after time.Duration
		there bool
	}{{secretStands / 2, true}, {secretStands + time.Second, false}, {secretStands + time.Minute, false}} {
		must(t, c.s.cleanFiles(t.Context(), time.Now().Add(at.after)))
		if there(secret) != at.there || !there(chart) {
			t.Errorf("after %v the secret is there: %v, the other one: %v", at.after, there(secret), there(chart))
		}
	}
	if left, err := c.s.db.MessageCleanups().ListDue(t.Context(), supervisor.ChannelTerminal, time.Now().Add(time.Hour),
		10); err != nil || len(left) != 0 {
		t.Errorf("left to be done are %v, %v", left, err)
	}
}

// If the audit log can't be written, admin calls change nothing.
func TestAdminCall_NoAuditEntry_ChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, true)
	store := c.s.db.UserAccessStores()
	c.mustRun("user", "add", "dan")
	c.mustRun("user", "add", "off")
	c.mustRun("user", "disable", "off")
	c.mustRun("user", "invite", "dan")
	must(t, store.Factors.Put(t.Context(), "dan", []byte("sealed"), nil))
	must(t, store.Bindings.BindAccount(t.Context(), sqlite.AccountBinding{Channel: supervisor.ChannelTelegram,
		Account: "7", User: "dan"}))
	must(t, os.WriteFile(c.s.config.State+"/homes/dan/partLog", []byte("hello"), 0o600))
	changeDatabase(t, c.s, "UPDATE totp SET failures = 3; CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the log is full'); END")
	state := func() string {
		var all bytes.Buffer
		for _, user := range []string{"ann", "ben", "dan", "eve", "off"} {
			must(t, store.People.Export(t.Context(), user, &all))
		}
		return fmt.Sprint(all.String(), c.mustRun("user", "list"))
	}
	before := state()
	c.configure(strings.Replace(fmt.Sprintf(commandLineConfig, c.dir), "2.50", "9.50", 1))
	for _, verb := range []string{"user add eve", "user disable dan", "user enable off", "user invite ann", "user invite dan --revoke",
		"totp enroll ben", "totp reset dan", "totp unlock dan", "user export ann", "user remove dan", "user delete dan --yes", "reload"} {
		if _, errs, code := c.run("", strings.Fields(verb)...); code == 0 {
			t.Errorf("mews %s was done, and said %q", verb, errs)
		}
		if now := state(); now != before {
			t.Fatalf("mews %s has made of\n%s\nthis:\n%s", verb, before, now)
		}
	}
	if _, err := os.Stat(c.s.config.State + "/homes/dan/partLog"); err != nil {
		t.Errorf("dan's folder: %v", err)
	}
	changeDatabase(t, c.s, "DROP TRIGGER full")
	c.mustRun("user", "remove", "dan")
	c.mustRun("user", "delete", "dan", "--yes")
}
