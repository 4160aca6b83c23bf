package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// fileSender is a model that sends the file which the person names, and says what came of that.
func sendFileModel(r modeltest.Request) modeltest.Answer {
	if done := r.Done(); len(done) > 0 {
		return modeltest.Answer{Text: done[len(done)-1].Result}
	}
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "send_file", Args: fmt.Sprintf(`{"path":%q}`, r.Asked())}}}
}

// mayI is how somebody is asked about a file.
const fileQuestion = "May I send the file "

// approvalService is a gatedService in which people are asked before something leaves.
type approvalService struct{ *gatedService }

// approving is one with a fileSender in which bob is asked before a file leaves; by is how.
func newApprovalService(t *testing.T, by, fields string) approvalService {
	t.Helper()
	l := approvalService{newGatedService(t, sendFileModel, "", "bob, approvals: {send_file: "+by+"}"+fields)}
	l.Bin = apptest.OwnPrograms(t, apptest.PlainPrograms(t))
	return l
}

// lay puts a file into bob's folder.
func (l approvalService) writeHomeFile(name, text string) {
	l.T.Helper()
	if err := os.WriteFile(filepath.Join(l.Home("bob"), name), []byte(text), 0o600); err != nil {
		l.T.Fatal(err)
	}
	apptest.GiveToWorkers(l.T, l.Home("bob"))
}

// chooses has a person press the newest button in their chat that says so.
func (l approvalService) pressLabel(name, label string) {
	l.T.Helper()
	u := l.telegramUser(name)
	for _, m := range slices.Backward(l.bot.Sent(u.ID)) {
		for _, row := range m.Keyboard {
			for _, b := range row {
				if b.Text == label {
					if _, _, err := l.bot.Press(telegramtest.Private(u), u, m.ID, b.Data); err != nil {
						l.T.Fatal(err)
					}
					return
				}
			}
		}
	}
	l.T.Fatalf("there is no button %q for %s: %q", label, name, l.told(name))
}

// die kills the service.
func (l approvalService) kill() {
	l.T.Helper()
	at := time.Now()
	l.Kill()
	l.bot.Died(at)
	l.CheckIntegrity()
}

// waits says whether somebody is asked something that they have not answered.
func (l approvalService) isWaiting() bool {
	return l.Count(`SELECT count(*) FROM question q JOIN turn t ON t.id = q.turn WHERE q.why IS NULL AND t.ended_at IS NULL`) > 0
}

// wants has bob name a file, and waits until he is asked about it, and that is kept: no later life
// asks him again only because it can't know that he was.
func (l approvalService) requestFile(file string) {
	l.T.Helper()
	l.sayAndAwait("bob", file, fileQuestion)
	l.WaitFor(apptest.Patience, "the question to be delivered", l.allDelivered)
}

// delivered says whether everything has arrived that people are told.
func (l *gatedService) allDelivered() bool {
	return l.Count("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
}

// done says whether nothing is left to be done.
func (l approvalService) isDone() bool {
	return l.bot.Pending() == 0 && l.Count("SELECT count(*) FROM inbox WHERE state IN ('new', 'running')") == 0 && l.allDelivered()
}

// settle waits until nothing is left to be done.
func (l approvalService) awaitDone() {
	l.T.Helper()
	l.WaitFor(apptest.Patience, "all to be done", l.isDone)
}

// arrived fails unless these files have left in all, and have arrived at bob's: each no more often
// than it has left, but for copies which say that they may be repeats.
func (l approvalService) checkArrived(names ...string) {
	l.T.Helper()
	if n := l.Count("SELECT count(*) FROM effect WHERE kind = 'file.sent'"); n != len(names) {
		l.T.Errorf("%d files have left, want %q", n, names)
	}
	plain, marked, want := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range l.bot.Sent(l.telegramUser("bob").ID) {
		switch {
		case m.File == nil:
		case strings.HasPrefix(m.Text, apptest.Repeated):
			marked[m.File.Name]++
		default:
			plain[m.File.Name]++
		}
	}
	for _, name := range names {
		want[name]++
	}
	for name := range want {
		if plain[name] > want[name] || marked[name] > want[name] || plain[name]+marked[name] < want[name] {
			l.T.Errorf("%s has arrived %d times, and %d times as a repeat; want %d", name, plain[name], marked[name], want[name])
		}
		delete(plain, name)
		delete(marked, name)
	}
	if len(plain)+len(marked) > 0 {
		l.T.Errorf("there have arrived %v, and as repeats %v, which have not left", plain, marked)
	}
}

// asked is how often people were asked.
func (l approvalService) questionCount() int { return l.Count("SELECT count(*) FROM question") }

// ends fails unless bob was told an answer, plainly or only as perhaps a repeat.
func (l approvalService) checkAnswer(answer string) {
	l.T.Helper()
	if !slices.ContainsFunc(l.told("bob"), func(text string) bool { return strings.Contains(text, answer) }) {
		l.T.Errorf("bob was told %q, want %q", l.told("bob"), answer)
	}
}

// inFlat waits until something is said in the flat.
func (l *gatedService) awaitInFlat(words string) {
	l.T.Helper()
	l.bot.Await(l.T, "the flat to read "+words, func() bool {
		return slices.ContainsFunc(l.bot.Sent(flatChat.ID), func(m telegramtest.Message) bool { return strings.Contains(m.Text, words) })
	})
}

// confirms has bob send a code, by which a file leaves.
func (l approvalService) sendFileCode(code string) (message int64) {
	l.T.Helper()
	from := len(l.told("bob"))
	message = l.say("bob", code)
	l.awaitDone()
	if told := l.told("bob")[from:]; told[0] != confirmed || !slices.Contains(told, sentAnswer("a.txt", 6)+"\n\nWhat I did\nsent a.txt (text/plain, 6 bytes)") {
		l.T.Errorf("bob was told %q", told)
	}
	return message
}

// saidOf is what the model says of a file of bytes that has left.
func sentAnswer(name string, bytes int) string {
	return fmt.Sprintf("%s was sent to the chat as %s, %d bytes.", name, name, bytes)
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
