package app_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/supervisor/app"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/statefolder"
	"mews/supervisor/telegram/telegramtest"
)

// invariants are properties that depend on the order of steps, which a compiler can't check. Each
// has a test here with a running service, or a test next to the code. Read the invariants before
// you move code.
var invariants = []struct {
	property string
	test     func(*testing.T)
	others   []string // tests next to the code, as FOLDER.NAME
}{
	{"A code is checked before its text can become a message.", nil, []string{
		"supervisor/app.TestGate_RightCode_AnswersHeldMessages", "supervisor/inbox.TestGate_ChecksEveryKindOfInbound"}},
	{"A code is used up in the transaction that releases the held messages.", codeAndReleaseInOneTransaction, []string{
		"supervisor/sqlite.TestLoginCode_BatchFails_ChangesNothing",
		"supervisor/app.TestKillAfterCode_AnswersHeldOnce"}},
	{"Telegram is polled only when the database can store updates.", databaseBeforePolling, []string{
		"supervisor/inbox.TestStoreBatch_FullDisk_StillStopsTurns"}},
	{"Leases of an earlier life are settled before a session starts.", leasesSettledBeforeSessions, []string{
		"supervisor/sqlite.TestLease_OpenAtCrash_CountsInFull"}},
	{"Turns, posts and operations of an earlier life go on where they stopped.", nil, []string{
		"supervisor/app.TestUpgrade_OldState_AnswersAllMessages",
		"supervisor/operation.TestRun_Restart_ContinuesOperation",
		"supervisor/app.TestSentFile_KillAfterEachCommit_StoredOnce"}},
	{"The process is made private before it reads a secret.", privateBeforeSecrets, nil},
	{"The state folder is locked before the database is opened.", lockedBeforeOpened, []string{
		"supervisor/statefolder.TestLock_SecondProcess_IsRefused"}},
	{"Strangers and removed users can store nothing and are sent nothing.", nothingForRemovedUsers, []string{
		"supervisor/inbox.TestGate_Missing_RefusesAllMessages", "supervisor/outbox.TestUnservedUser_GetsNothing"}},
	{"No worker starts before the self-test has passed.", nil,
		[]string{"supervisor/pool.TestSelfTest_Fails_StartsNoWorker"}},
	{"Data is stored before Telegram, the model or a worker gets it.", committedBeforeTold, []string{
		"supervisor/hostcall.TestModelStream_CommitsBeforeAnswering",
		"supervisor/inbox.TestStoreBatch_StoresThenAcceptsInOrder"}},
	{"The parts start in this order, and stop in the reverse.", partsInOrder, []string{
		"supervisor/app.TestRunParts_StopsPartsInReverseOrder"}},
}

func TestInvariants_NamedTests_Exist(t *testing.T) {
	t.Parallel()
	for _, invariant := range invariants {
		t.Run(invariant.property, func(t *testing.T) {
			for _, name := range invariant.others {
				folder, test, _ := strings.Cut(name, ".")
				if !hasTest(t, folder, test) {
					t.Errorf("%s has no %s: which test covers this now?", folder, test)
				}
			}
			switch {
			case invariant.test != nil:
				invariant.test(t)
			case len(invariant.others) == 0:
				t.Error("no test covers this")
			}
		})
	}
}

// hasTest says whether a package has a test with a name.
func hasTest(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the tests of %s: %v", folder, err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)")
	})
}

// codeAndReleaseInOneTransaction: if held messages can't be released, the code is not used up, no
// login begins, and Telegram gets no receipt of the update. Once they can be released, all three
// happen once.
func codeAndReleaseInOneTransaction(t *testing.T) {
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")
	l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", "held words", locked)
	l.shut()
	l.withDatabase(func(db *sqlite.DB) {
		sqlitetest.ExecStatements(t, db, `CREATE TRIGGER no_release BEFORE UPDATE OF held ON inbox WHEN new.held = 0
			BEGIN SELECT RAISE(ABORT, 'the disk takes no more'); END`)
	})
	l.differs = true
	const spent = "SELECT (SELECT total(last_step) FROM totp) || ' ' || (SELECT count(*) FROM login) || ' ' || " +
		"(SELECT count(*) FROM inbox WHERE held = 0) || ' ' || (SELECT count(*) FROM audit WHERE action = 'login')"
	before := sqlitetest.QueryColumnInCopy(t, l.database(), spent)
	l.open()
	l.say("bob", l.code("bob", 0))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the code to be tried", func() bool {
		return strings.Contains(l.LogTail(), "the disk takes no more") || !slices.Equal(sqlitetest.QueryColumnInCopy(t,
			l.database(), spent), before)
	})
	if after := sqlitetest.QueryColumnInCopy(t, l.database(), spent); !slices.Equal(after, before) ||
		l.bot.CountPendingUpdates() != 1 {
		t.Errorf("the code, logins, messages and entries that count were %q, and are %q; %d updates wait", before,
			after, l.bot.CountPendingUpdates())
	}
	l.shut()
	l.withDatabase(func(db *sqlite.DB) { sqlitetest.ExecStatements(t, db, "DROP TRIGGER no_release") })
	l.differs = false
	l.open()
	l.awaitTold("bob", 1, unlocked, "echo: held words")
}

// database returns the path of the database.
func (l *gatedService) database() string { return filepath.Join(l.Dir, "state", "private", "mews.db") }

// query returns the first column of a query's result, from the current database. A request to
// Telegram or the model may be waiting meanwhile.
func (l *gatedService) query(query string) string {
	return strings.Join(sqlitetest.QueryColumnInCopy(l.T, l.database(), query), "\n")
}

// databaseBeforePolling: if the state folder is of the previous version, updates are requested only
// after the migration. The first request begins where the last stored batch ended.
func databaseBeforePolling(t *testing.T) {
	made := make(chan *gatedService, 1)
	var schema string
	var once sync.Once
	l := newUpgradedService(t, func(c telegramtest.APICall) {
		if c.Method == "getUpdates" {
			once.Do(func() {
				schema = fmt.Sprintf("%s from %v", (<-made).query("PRAGMA user_version"), c.Params["offset"])
			})
		}
	}, nil)
	made <- l
	migrations, err := filepath.Glob("../sqlite/migration/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	l.Start()
	l.bot.WaitUntil(t, "Telegram to be asked", func() bool { return l.bot.CountCalls("getUpdates") > 1 })
	l.Stop()
	if want := fmt.Sprintf("%d from 500005", len(migrations)); schema != want {
		t.Errorf("the first request came with schema %s, want %s", schema, want)
	}
}

// leasesSettledBeforeSessions: when the first session after a restart asks a model, the killed
// service's lease is gone and was paid in full.
func leasesSettledBeforeSessions(t *testing.T) {
	made := make(chan *gatedService, 1)
	var left string
	var once sync.Once
	l := newUpgradedService(t, nil, func() {
		once.Do(func() {
			left = (<-made).query("SELECT (SELECT count(*) FROM lease WHERE id = 4) || ' ' || (SELECT count(*) FROM usage WHERE cost = 19457)")
		})
	})
	made <- l
	l.Start()
	l.bot.WaitUntil(t, "ann to be answered", func() bool { return len(l.told("ann")) == 2 })
	l.Stop()
	if left != "0 1" {
		t.Errorf("leases and settlements of the earlier life were %q, want %q", left, "0 1")
	}
}

// privateBeforeSecrets: when `mews run` opens its configuration, no other process of its account
// may read its memory. Its files in /proc then belong to root, because the process is not dumpable
// (prctl(2)).
func privateBeforeSecrets(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	program, fifo := filepath.Join(dir, "mews"), filepath.Join(dir, "mews.yaml")
	if err := errors.Join(os.Link(filepath.Join(apptest.BuildPrograms(t), "mews"), program), unix.Mkfifo(fifo,
		0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "run", "--config", fifo)
	if os.Getuid() == 0 {
		account, err := user.Lookup(apptest.WorkersAccount)
		if err != nil {
			t.Fatal(err)
		}
		uid, errUID := strconv.Atoi(account.Uid)
		gid, errGID := strconv.Atoi(account.Gid)
		if err := errors.Join(errUID, errGID, os.Chown(fifo, uid, gid)); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	config, err := openRead(t, fifo)
	if err != nil {
		t.Fatal(err)
	}
	var info syscall.Stat_t
	if err := syscall.Stat(fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid), &info); err != nil || info.Uid != 0 {
		t.Errorf("while it reads its configuration it is user %d's, who may look into it; %v", info.Uid, err)
	}
	if _, err := config.WriteString("nonsense: true\n"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(config.Close(), cmd.Wait()); err == nil {
		t.Error("it made sense of the configuration")
	}
}

// openRead opens a FIFO for writing after a reader has opened it.
func openRead(t *testing.T, fifo string) (f *os.File, err error) {
	t.Helper()
	deadline := time.After(apptest.DefaultTestTimeout)
	for {
		f, err = os.OpenFile(fifo, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		select {
		case <-deadline:
			return nil, err
		case <-time.After(time.Millisecond):
		}
	}
}

// lockedBeforeOpened: if the state folder is locked, the database is not touched, because another
// version may be using it.
func lockedBeforeOpened(t *testing.T) {
	l := newUpgradedService(t, nil, nil)
	lock, err := statefolder.LockFolder(filepath.Join(l.Dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if said := runVerb(l, "run"); !strings.Contains(said, "another Mews") || l.query("PRAGMA user_version") != "6" {
		t.Errorf("the database is of schema %s; it said\n%s", l.query("PRAGMA user_version"), said)
	}
}

// nothingForRemovedUsers: carl was removed from the configuration. His delivery is not sent.
// Messages of carl and of a stranger are not stored, and ann is served as before.
func nothingForRemovedUsers(t *testing.T) {
	l := newUpgradedService(t, nil, nil)
	raw, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	l.write("mews.yaml", regexp.MustCompile(`(?m)^.*name: carl.*\n`).ReplaceAllString(string(raw), ""))
	stranger := telegramtest.User{ID: 999, First: "mallory"}
	l.bot.Say(telegramtest.PrivateChat(stranger), stranger, "let me in")
	l.say("carl", "and me")
	l.say("ann", "say ann's third")
	l.Start()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "ann to be answered", func() bool { return len(l.told("ann")) == 3 })
	l.Stop()
	if n := l.QueryCount("SELECT count(*) FROM inbox"); n != 5 {
		t.Errorf("%d messages are kept, want the four of before and ann's third", n)
	}
	if told := append(l.bot.BotMessages(102), l.bot.BotMessages(stranger.ID)...); len(told) > 0 {
		t.Errorf("carl and the stranger were told %+v", told)
	}
}

// committedBeforeTold: an update is stored before Telegram gets its receipt. The turn and its lease
// are stored before the model is asked. The turn's end and the post are stored before the answer is
// sent.
func committedBeforeTold(t *testing.T) {
	made := make(chan *gatedService, 1) // who takes the service out may use it and the variable told
	var told []string
	note := func(what, query string) {
		service := <-made
		told = append(told, what+": "+service.query(query))
		made <- service
	}
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		note("model", "SELECT i.state || ', its turn ' || coalesce(t.why, 'runs') || ', leases ' || (SELECT count(*) FROM lease) "+
			"FROM inbox i JOIN turn t ON t.inbound = i.id")
		return modeltest.EchoScript(r)
	}, pricedConfig+"budget: {users: {day: 1}}\n", "bob, totp: 'off'")
	l.bot = telegramtest.New(t, telegramtest.Options{Token: l.bot.Token(), Strict: true,
		BeforeConfirm: func([]int64) { note("receipt", "SELECT count(*) FROM received") },
		OnRequest: func(c telegramtest.APICall) {
			if c.Method == "sendMessage" {
				note("answer", "SELECT i.state || ', its turn ' || t.why || ', its post ' || p.state || ', leases ' || (SELECT count(*) FROM lease) "+
					"FROM inbox i JOIN turn t ON t.inbound = i.id JOIN post p ON p.turn = t.id OR p.delivery IS NOT NULL")
			}
		}})
	raw, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	l.write("mews.yaml", strings.Replace(regexp.MustCompile(`api_url: "[^"]*"`).ReplaceAllString(string(raw),
		fmt.Sprintf("api_url: %q", l.bot.URL())), "busy: queue", "busy: queue, stream: final", 1))
	made <- l
	l.Start()
	l.sayAndAwait("bob", "hello", "echo: hello")
	l.bot.WaitUntil(t, "the receipt", func() bool { return l.bot.CountPendingUpdates() == 0 })
	l.Stop()
	slices.Sort(told) // the receipt may come at any time after the update was stored
	want := []string{"answer: answered, its turn done, its post sending, leases 0", "model: running, its turn runs, leases 1", "receipt: 1"}
	if !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
}

// partsInOrder: parts that deliver answers start first, then parts that make answers, and then
// parts that accept messages.
func partsInOrder(t *testing.T) {
	want := []string{"database", "audit", "sweep", "copies", "modes", "homes", "process", "index", "admin",
		"updates", "outbox",
		"cleaner", "reactor", "presses", "workers", "disks", "operations", "backups", "drills",
		"voices", "attachments", "sessions", "questions", "memory", "file histories", "forget", "schedule",
		"reminders from files", "commands",
		"telegram", "telegram menu", "webhooks", "alarms", "control socket",
		"safe mode", "watchdog", "service manager"}
	if got := app.ServicePartNames(); !slices.Equal(got, want) {
		t.Errorf("they start as %q, want %q", got, want)
	}
}
