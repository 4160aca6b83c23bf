package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/supervisor/app/apptest"
	"mews/supervisor/disk"
	"mews/supervisor/model/modeltest"
)

// runScript runs the command of a message "run: COMMAND", and answers with its result. It repeats
// other messages.
func runScript(r modeltest.Request) modeltest.Answer {
	command, runs := strings.CutPrefix(r.NewestUserMessage(), "run: ")
	last := r.Messages[len(r.Messages)-1]
	switch {
	case !runs:
		return modeltest.EchoScript(r)
	case last.Role == "tool":
		return modeltest.Answer{Text: "It said: " + last.Content}
	}
	args, _ := json.Marshal(map[string]string{"command": command}) // Marshal never fails for strings
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "run_command", Args: string(args)}}}
}

// fullDiskService is a service whose state folder and homes are on one small disk.
type fullDiskService struct {
	*gatedService
	private string
}

// newFullDiskService makes the disk, and configures a service.
func newFullDiskService(t *testing.T, more string) *fullDiskService {
	t.Helper()
	l := &fullDiskService{gatedService: newGatedService(t, runScript, more, "alice, role: admin, totp: 'off'",
		"bob, totp: 'off'", "cleo, totp: 'off'")}
	dir := filepath.Join(l.Dir, "disk")
	must(t, os.Mkdir(dir, 0o755))
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=60m,nr_inodes=600,mode=755")
	for _, name := range []string{"state", "homes"} {
		folder := filepath.Join(l.Dir, name)
		must(t, errors.Join(os.MkdirAll(folder, 0o711), os.Mkdir(filepath.Join(dir, name), 0o711)))
		mount(t, filepath.Join(dir, name), folder, "", unix.MS_BIND, "")
	}
	t.Cleanup(l.shut) // before the disk is unmounted
	for _, name := range l.names {
		must(t, os.Mkdir(l.UserHome(name), 0o700))
		apptest.ChownToWorkers(t, l.UserHome(name))
	}
	l.private = filepath.Join(l.Dir, "state", "private")
	return l
}

// greetAll begins each user's chat, so that the bot may write there.
func (l *fullDiskService) greetAll() {
	l.T.Helper()
	for _, name := range l.names {
		l.sayAndAwait(name, "hello", "echo: hello")
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the receipts of all answers", func() bool {
		return l.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
	})
}

// makeBallast makes the ballast of a service that has made its state folder.
func (l *fullDiskService) makeBallast() {
	l.T.Helper()
	if err := disk.BallastIn(l.private).Make(l.space()); err != nil {
		l.T.Fatal(err)
	}
}

// mount mounts a file system until the end of the test. Without the right to mount it skips the
// test.
func mount(t *testing.T, source, at, kind string, flags uintptr, options string) {
	t.Helper()
	if err := unix.Mount(source, at, kind, flags, options); errors.Is(err, unix.EPERM) {
		t.Skip("mounting is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(at, unix.MNT_DETACH)) })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *fullDiskService) space() disk.Space {
	l.T.Helper()
	s, err := disk.SpaceOf(l.private)
	if err != nil {
		l.T.Fatal(err)
	}
	return s
}

func (l *fullDiskService) hasBallast() bool { return disk.BallastIn(l.private).IsWhole(l.space()) }

// awaitWords waits until a user is told these words.
func (l *fullDiskService) awaitWords(name, words string) {
	l.T.Helper()
	defer func() {
		if l.T.Failed() {
			l.T.Logf("%s was told %q", name, l.told(name))
		}
	}()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, name+" to be told "+words, func() bool {
		return slices.ContainsFunc(l.told(name), func(text string) bool { return strings.Contains(text, words) })
	})
}

// TestFullDisk_OneUserFillsIt_OthersGoOn: bob's program fills the disk, with few large or with many
// small files. The program ends, and then the ballast is freed. The other users are served, and
// admins are told.
func TestFullDisk_OneUserFillsIt_OthersGoOn(t *testing.T) {
	for name, c := range map[string]struct{ fill, again, free string }{
		"bytes": {"cat /dev/zero >big; sleep 1000",
			"(cat /dev/zero >again) 2>/dev/null; stat -c %s again; rm big", "are free"},
		"files": {"mkdir many; cd many; touch $(seq 1000) 2>/dev/null; sleep 1000",
			"rm -r many; echo 0", "there is room for"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newFullDiskService(t, "")
			l.open()
			l.greetAll()
			l.makeBallast()
			l.say("bob", "run: "+c.fill)
			l.awaitWords("bob", "The disk of this machine is nearly full")
			l.awaitWords("alice", "Mews ended the programs of bob, which wrote most")
			l.awaitWords("alice", "Mews deleted its spare files")
			l.awaitWords("alice", c.free)
			if l.hasBallast() {
				t.Error("the ballast is there")
			}
			l.sayAndAwait("cleo", "are you there", "echo: are you there")
			l.move(time.Second) // messages are told apart by their times
			l.say("cleo", "run: echo made >made; sleep 1000")
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "cleo's program to run", func() bool {
				_, err := os.Stat(filepath.Join(l.UserHome("cleo"), "made"))
				return err == nil
			})
			l.move(time.Second)
			l.say("cleo", "/stop")
			l.awaitWords("cleo", "(Stopped, as you asked.)")
			l.say("bob", "run: "+c.again)
			l.awaitWords("bob", "\n0\n")
			l.awaitWords("alice", "has room again")
			l.sayAndAwait("cleo", "thanks", "echo: thanks")
			if l.hasBallast() {
				t.Error("the ballast is there at once")
			}
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "the ballast to be made again", func() bool {
				l.move(time.Minute)
				return l.hasBallast()
			})
		})
	}
}

// TestHomeLimit_Exceeded_EndsProgram: bob's program makes more files than the home may hold.
// Another program that only deletes goes on.
func TestHomeLimit_Exceeded_EndsProgram(t *testing.T) {
	l := newFullDiskService(t, "worker: {disk: 20MiB, disk_files: 40}\n")
	l.open()
	l.greetAll()
	l.say("bob", "run: for i in $(seq 50); do : >file$i; done; sleep 1000")
	l.awaitWords("bob", "more than the 40 files and folders")
	l.say("bob", "run: rm file*; echo deleted")
	l.awaitWords("bob", "deleted")
	l.say("cleo", "run: head -c 25M /dev/zero >big; sleep 1000")
	l.awaitWords("cleo", "more than the 20 MiB that it may hold")
	if told := l.told("alice"); len(told) != 1 {
		t.Errorf("the admin was told %q", told)
	}
}

// TestStart_FullDisk_FreesBallast: the disk is full when Mews starts. The ballast is whole,
// or a killed process has freed half of it.
func TestStart_FullDisk_FreesBallast(t *testing.T) {
	for name, spoil := range map[string]func(ballast string) error{
		"whole":      func(string) error { return nil },
		"half freed": func(ballast string) error { return os.Remove(filepath.Join(ballast, "3")) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newFullDiskService(t, "")
			l.Start()
			l.greetAll()
			l.makeBallast()
			l.Kill()
			must(t, spoil(disk.BallastIn(l.private).Dir))
			rest, err := os.Create(filepath.Join(l.Dir, "homes", "rest"))
			must(t, err)
			buf := make([]byte, 1<<20)
			for err == nil {
				_, err = rest.Write(buf)
			}
			if must(t, rest.Close()); !errors.Is(err, syscall.ENOSPC) || l.space().Free != 0 {
				t.Fatal(err, l.space())
			}
			l.Start()
			l.sayAndAwait("cleo", "are you back", "echo: are you back")
			l.awaitWords("alice", "is nearly full")
			if names, err := os.ReadDir(disk.BallastIn(l.private).Dir); err != nil || len(names) != 0 {
				t.Errorf("of the ballast are left: %v, %v", names, err)
			}
			l.Stop()
		})
	}
}

// TestFullDisk_NothingCanBeStored_AdminIsTold: the disk has no ballast, and no room for a row of
// the database.
func TestFullDisk_NothingCanBeStored_AdminIsTold(t *testing.T) {
	l := newFullDiskService(t, "")
	l.open()
	l.greetAll()
	rest, err := os.Create(filepath.Join(l.Dir, "homes", "rest"))
	must(t, err)
	defer rest.Close()
	for buf := make([]byte, 1<<20); err == nil; {
		_, err = rest.Write(buf)
	}
	l.say("cleo", "lost?") // uses up the free room inside the database's files
	l.awaitWords("alice", "Messages can't be kept any more")
	must(t, rest.Truncate(0))
	l.awaitWords("cleo", "echo: lost?")
	l.awaitWords("alice", "has room again")
	if n := len(l.told("alice")); n > 4 {
		t.Errorf("the admin was told: %s", fmt.Sprint(l.told("alice")))
	}
}
