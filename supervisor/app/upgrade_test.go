package app_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/telegram/telegramtest"
)

// killedAt is the time at which the service that wrote testdata/schema6.sql was killed.
var killedAt = time.UnixMilli(1795405187062)

// newUpgradedService configures a service of ann and carl, with the state folder of the previous
// version, which was killed.
//
// seen is called before each answer of Telegram, and asked before each answer of the model. Both
// may be nil.
func newUpgradedService(t *testing.T, seen func(telegramtest.APICall), asked func()) *gatedService {
	t.Helper()
	began := time.Now()
	l := &gatedService{names: []string{"ann", "carl"}}
	var url string
	l.model, url = modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		if asked != nil {
			asked()
		}
		return modeltest.FileWriterScript(r)
	})
	l.Service = apptest.NewService(t, url, l.names...)
	l.bot = telegramtest.New(t, telegramtest.Options{Token: "42:TEST-token-of-a-bot-that-is-not-there", Strict: true, NextUpdate: 500004,
		NextMessage: 10, Now: func() time.Time { return killedAt.Add(time.Since(began)) }, OnRequest: seen})
	for _, name := range l.names {
		l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser(name)))
	}
	l.AppendConfig(apptest.TelegramConfig(l.bot, "") + "chat: {busy: queue, stream: final}\n")
	private := filepath.Join(l.Dir, "state", "private")
	if err := os.MkdirAll(private, 0o700); err != nil {
		t.Fatal(err)
	}
	dump, err := os.ReadFile("testdata/schema6.sql")
	if err != nil {
		t.Fatal(err)
	}
	sqlitetest.CreateDatabase(t, filepath.Join(private, "mews.db"), strings.ReplaceAll(string(dump),
		"http://api.telegram.test", l.bot.URL()))
	l.write("state/lock", "19323\n")
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	socket.SetUnlinkOnClose(false)
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	l.write("homes/ann/log.txt", "one line\n")
	apptest.ChownToWorkers(t, l.UserHome("ann"))
	return l
}

// oldUpdate returns an update with that number, as the previous version received it.
func (l *gatedService) oldUpdate(update int64) json.RawMessage {
	l.T.Helper()
	found := sqlitetest.QueryColumnInCopy(l.T, filepath.Join(l.Dir, "state", "private", "mews.db"),
		"SELECT raw FROM received WHERE id = ?", update)
	if len(found) != 1 {
		l.T.Fatalf("there are %d updates %d", len(found), update)
	}
	return json.RawMessage(found[0])
}

// Each user's messages are answered once and in order, whatever the previous version was doing when
// it was killed. A message that it may have sent is sent again, with a mark. Committed work is not
// repeated, and stored updates are not received again. New messages are answered.
func TestUpgrade_OldState_AnswersAllMessages(t *testing.T) {
	t.Parallel()
	l := newUpgradedService(t, nil, nil)
	l.bot.DeliverRawUpdate(l.oldUpdate(500004)) // Telegram never got the receipt of this update
	l.Start()
	l.bot.WaitUntil(t, "the last update to be taken again", func() bool { return l.bot.CountPendingUpdates() == 0 })
	l.say("ann", "say ann's third")
	l.say("carl", "say carl's third")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be answered",
		func() bool { return l.QueryCount("SELECT count(*) FROM inbox WHERE state = 'done'") == 6 })
	for name, want := range map[string][]string{
		"ann": {`^done: append one line to log\.txt\nsay ann's first\n\nWhat I did\nadded to log\.txt \(created, 9 bytes\)$`, `^done: say ann's second$`, `^done: say ann's third$`},
		"carl": {`^` + apptest.RepeatedMessageMark + `(?s:.)*done: say carl's first$`, `^done: say carl's second$`,
			`^done: say carl's third$`},
	} {
		if got := l.told(name); !slices.EqualFunc(want, got, func(w, g string) bool { return regexp.MustCompile(w).MatchString(g) }) {
			t.Errorf("%s was told %q, want %q", name, got, want)
		}
	}
	if log, err := os.ReadFile(filepath.Join(l.UserHome("ann"), "log.txt")); err != nil || string(log) != "one line\n" {
		t.Errorf("ann's log holds %q; %v", log, err)
	}
	for what, query := range map[string]string{
		"messages beside six":                "SELECT count(*) - 6 FROM inbox",
		"deliveries beside six":              "SELECT count(*) - 6 FROM outbox",
		"turns that run":                     "SELECT count(*) FROM turn WHERE ended_at IS NULL",
		"leases":                             "SELECT count(*) FROM lease",
		"calls that were cut, but for ann's": "SELECT count(*) - 1 FROM usage WHERE class IS NOT NULL",
	} {
		if n := l.QueryCount(query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	l.Stop()
	l.CheckIntegrity()
	verify := exec.CommandContext(t.Context(), filepath.Join(l.Bin, "mews"), "audit", "verify", "--config", l.Config)
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("the audit log: %v: %s", err, out)
	}
	if n := len(l.model.Requests()); n != 4 { // a step that was committed before the kill is not requested again
		t.Errorf("the model was asked %d times", n)
	}
}
