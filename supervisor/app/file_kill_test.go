package app_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/app"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/telegram/telegramtest"
)

// fileMessages are the messages with files, during which the service is killed.
var fileMessages = map[string]struct {
	comes  func(content []byte) telegramtest.MessageOption
	begins string   // text with which the stored file must begin
	read   string   // text that the model must have read
	told   []string // the messages to the user, in order
	states []string // states of database rows that must occur in some copy
}{
	"a document": {
		func(content []byte) telegramtest.MessageOption {
			return telegramtest.WithDocument(telegramtest.File{ID: "file", Name: "list.txt", Mime: "text/plain",
				Content: content})
		}, "eggs and flour", "eggs and flour", []string{"I have read it."},
		[]string{"arriving", "arriving, fetched", "arriving, fetched, receive waiting", "arriving, fetched, receive running",
			"arriving, fetched, receive done", "new, fetched", "running, fetched", "answered, fetched", "done, fetched"},
	},
	"a voice message": {
		func(content []byte) telegramtest.MessageOption {
			return telegramtest.WithVoice(telegramtest.File{ID: "file", Content: content}, time.Second)
		}, string(waveFile()), "] buy eggs", []string{"Heard:\n\nbuy eggs", "I have read it."},
		[]string{"arriving", "arriving, fetched", "arriving, fetched, receive waiting", "arriving, fetched, receive running",
			"arriving, fetched, receive done", "arriving, fetched, receive done, transcribe waiting",
			"arriving, fetched, receive done, transcribe running", "arriving, fetched, receive done, transcribe running, piece",
			"arriving, fetched, receive done, transcribe done", "arriving, fetched, receive done, transcribe done, heard",
			"new, fetched, heard", "running, fetched, heard", "answered, fetched, heard", "done, fetched, heard"},
	},
}

// The service is killed after each commit that leads to a new state, from a message with a file to
// the receipt of its answer. After each kill it continues from the disk.
//
// The file is complete and only once in uploads/, and the model has read it. The user is told
// everything once. A message that may have been sent before is sent again, with a mark. Bytes on
// disk are not downloaded again. MEWS_SENT_FILE_KILL_STEP=1 tries every new state; the default is
// every fourth.
func TestSentFile_KillAfterEachCommit_StoredOnce(t *testing.T) {
	t.Parallel()
	for name, c := range fileMessages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := []byte(c.begins + " of " + name)
			script := func(r modeltest.Request) modeltest.Answer {
				if !strings.Contains(r.NewestUserMessage(), c.read) {
					return modeltest.Answer{Text: "I have not read it: " + r.NewestUserMessage()}
				}
				return modeltest.Answer{Text: c.told[len(c.told)-1]}
			}
			l := &killedService{sent: content, gatedService: newGatedService(t, script, `speech: {in: {engine: command, command: [sh, -c, echo buy eggs, "{wav}"]}}`+"\n", "bob")}
			l.runIn(l.Dir, l.keepImage)
			l.sayAndAwait("bob", "hi", "I have not read it")
			l.awaitSettled(l.Dir, 1)
			l.toldBefore = len(l.told("bob"))
			l.keeps.Store(true)
			l.say("bob", "look at this", c.comes(content))
			l.awaitSettled(l.Dir, 1+len(c.told))
			l.shut()
			l.toldBefore = len(l.told("bob"))
			l.checkStates(c.states)
			l.addWrittenEarly()
			tried, step := map[string]bool{}, apptest.NumberFromEnv(t, "MEWS_SENT_FILE_KILL_STEP", 4)
			for _, image := range l.images {
				left := image.state + l.deliveries(image.dir)
				if tried[left] {
					continue
				}
				tried[left] = true
				if len(tried)%step != 0 {
					continue
				}
				downloads := l.bot.CountCalls(telegramtest.DownloadMethod)
				apptest.ChownToWorkers(t, filepath.Join(image.dir, "homes"))
				l.runIn(image.dir, nil)
				l.awaitSettled(image.dir, l.toldBefore+len(c.told)-len(image.told))
				l.shut()
				told := slices.Concat(image.told, l.told("bob")[l.toldBefore:])
				l.toldBefore = len(l.told("bob"))
				l.checkTold(image.state, told, c.told)
				l.checkUploads(image)
				if again := l.bot.CountCalls(telegramtest.DownloadMethod) > downloads; again == strings.Contains(image.state, "fetched") {
					t.Errorf("killed when it was %s: that the file is fetched again is %v", image.state, again)
				}
			}
		})
	}
}

// killedService is a service whose folders are copied after each commit.
type killedService struct {
	*gatedService
	keeps      atomic.Bool
	toldBefore int    // number of messages to bob before this service's start
	sent       []byte // bytes of the sent file
	sender     string // sender of the file; "" means bob

	images []folderImage // copies of the folders; only the running service adds to them
}

// folderImage is a copy of a service's folders at one moment, and the messages that bob had got by
// then.
type folderImage struct {
	dir   string
	told  []string
	state string
}

// runIn runs a service inside the test with its folders in dir. shut stops it.
func (l *killedService) runIn(dir string, committed func()) {
	l.T.Helper()
	apptest.LinkProgramsBesideTest(l.T)
	log, err := os.OpenFile(filepath.Join(l.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		l.T.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.T.Context()))
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() { // the function end waits for this goroutine
		ended <- app.RunServiceInTest(ctx, filepath.Join(dir, "mews.yaml"), log, time.Now, func() { close(started) },
			committed, false)
	}()
	l.end = func() {
		cancel()
		if err := errors.Join(<-ended, log.Close()); err != nil {
			l.T.Errorf("the service inside: %v", err)
		}
	}
	select {
	case <-started:
	case err := <-ended:
		ended <- nil
		l.T.Fatalf("the service inside: %v", err)
	}
}

// keepImage copies all folders of the service. The caller makes sure that no commit happens
// meanwhile.
func (l *killedService) keepImage() {
	if !l.keeps.Load() {
		return
	}
	i := folderImage{dir: l.T.TempDir(), told: l.told(cmp.Or(l.sender, "bob"))[l.toldBefore:]}
	err := filepath.WalkDir(l.Dir, func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(i.dir, strings.TrimPrefix(path, l.Dir))
		switch {
		case errors.Is(err, fs.ErrNotExist): // a worker has just removed the file
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(to, 0o711)
		case !d.Type().IsRegular() || strings.HasSuffix(path, "-shm") || path == filepath.Join(l.Dir, "log"):
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if d.Name() == "mews.yaml" {
			data = bytes.ReplaceAll(data, []byte(l.Dir), []byte(i.dir))
		}
		return errors.Join(err, os.WriteFile(to, data, 0o600))
	})
	if err != nil {
		l.T.Error(err)
	}
	l.images = append(l.images, i)
}

// awaitSettled waits until bob has got that many messages, and the service has nothing left to do.
func (l *killedService) awaitSettled(dir string, told int) {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be answered", func() bool {
		return len(l.told("bob")) >= told && l.bot.CountPendingUpdates() == 0 && slices.Equal(l.query(dir,
			`SELECT (SELECT count(*) FROM inbox WHERE state <> 'done') +
			(SELECT count(*) FROM outbox WHERE delivered_at IS NULL) + (SELECT count(*) FROM lease)`), []string{"0"})
	})
}

// query returns the rows of a query in a copy of the database.
func (l *killedService) query(dir, query string) []string {
	l.T.Helper()
	return sqlitetest.QueryColumnInCopy(l.T, filepath.Join(dir, "state", "private", "mews.db"), query)
}

// deliveries returns the states of all deliveries and leases.
func (l *killedService) deliveries(dir string) string {
	l.T.Helper()
	return strings.Join(l.query(dir, `SELECT (SELECT count(*) FROM lease) || ' ' ||
		(SELECT group_concat(coalesce(outcome, 'waits') ORDER BY id) FROM outbox) || ' ' ||
		(SELECT coalesce(group_concat(state || repeat ORDER BY id), '') FROM post)`), "")
}

// checkStates names each image after the states of the database rows in it. It fails if a state in
// want is missing.
func (l *killedService) checkStates(want []string) {
	l.T.Helper()
	var all []string
	for n, i := range l.images {
		l.images[n].state = strings.Join(l.query(i.dir, `SELECT i.state ||
			(SELECT CASE WHEN sha256 IS NULL THEN '' ELSE ', fetched' END FROM attachment WHERE inbound = i.id) ||
			coalesce((SELECT group_concat(', ' || kind || ' ' || state, '') FROM operation WHERE inbound = i.id), '') ||
			CASE WHEN EXISTS (SELECT 1 FROM operation_piece) THEN ', piece' ELSE '' END ||
			CASE WHEN EXISTS (SELECT 1 FROM outbox WHERE inbound = i.id AND turn IS NULL) THEN ', heard' ELSE '' END
			FROM inbox i ORDER BY id DESC LIMIT 1`), "")
		all = append(all, l.images[n].state)
	}
	for _, state := range want {
		if !slices.Contains(all, state) {
			l.T.Errorf("the service was never as it is %s: %q", state, all)
		}
	}
}

// addWrittenEarly adds an image in which the worker has written the file, but its operation still
// has the state running.
func (l *killedService) addWrittenEarly() {
	l.T.Helper()
	at := slices.IndexFunc(l.images, func(i folderImage) bool { return strings.HasSuffix(i.state, "receive running") })
	if at < 0 || at+1 == len(l.images) {
		l.T.Fatal("the file was not received")
	}
	before, after := l.images[at], l.images[at+1]
	i := folderImage{dir: l.T.TempDir(), told: before.told, state: before.state + ", written"}
	config, err := os.ReadFile(filepath.Join(before.dir, "mews.yaml"))
	err = errors.Join(err, os.CopyFS(filepath.Join(i.dir, "state"), os.DirFS(filepath.Join(before.dir, "state"))),
		os.CopyFS(filepath.Join(i.dir, "homes"), os.DirFS(filepath.Join(after.dir, "homes"))),
		os.WriteFile(filepath.Join(i.dir, "mews.yaml"), bytes.ReplaceAll(config, []byte(before.dir), []byte(i.dir)), 0o600),
		os.Link(filepath.Join(before.dir, "seal.key"), filepath.Join(i.dir, "seal.key")))
	if err != nil {
		l.T.Fatal(err)
	}
	l.checkUploads(folderImage{dir: after.dir, state: i.state})
	l.images = append(l.images, i)
}

// checkTold fails unless bob got the texts of want in order. A text may come twice if the second
// copy is marked.
func (l *killedService) checkTold(state string, told, want []string) {
	l.T.Helper()
	var plain []string
	for _, text := range told {
		if rest, marked := strings.CutPrefix(text, apptest.RepeatedMessageMark); !marked {
			plain = append(plain, text)
		} else if n := slices.IndexFunc(want, func(w string) bool { return strings.HasSuffix(rest, w) }); n < 0 {
			l.T.Errorf("killed when it was %s: bob was told %q", state, text)
		} else if !slices.Contains(plain, want[n]) {
			plain = append(plain, want[n])
		}
	}
	if !slices.Equal(plain, want) || len(told) > len(want)+1 {
		l.T.Errorf("killed when it was %s: bob was told %q, want %q", state, told, want)
	}
}

// checkUploads fails unless bob's uploads contain exactly the sent file.
func (l *killedService) checkUploads(i folderImage) {
	l.T.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(i.dir, "homes", "bob", "uploads"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if !bytes.Equal(data, l.sent) {
			l.T.Errorf("killed when it was %s: %s has %d bytes, and %d were sent", i.state, path, len(data), len(l.sent))
		}
		found = append(found, path)
		return err
	})
	if err != nil || len(found) != 1 {
		l.T.Errorf("killed when it was %s: bob's uploads are %q, %v", i.state, found, err)
	}
}

// waveFile returns a recording of half a second with a loud tone.
func waveFile() []byte {
	const rate, samples = 16000, 8000
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 36+2*samples)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, 2*samples)
	for i := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(20000*(i/20%2)))
	}
	return b
}
