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

// sendFileModel is a model that sends the file that the user names, and says the result.
func sendFileModel(r modeltest.Request) modeltest.Answer {
	if done := r.AnsweredCalls(); len(done) > 0 {
		return modeltest.Answer{Text: done[len(done)-1].Result}
	}
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "send_file", Args: fmt.Sprintf(`{"path":%q}`,
		r.NewestUserMessage())}}}
}

// fileQuestion is the beginning of the question before a file is sent.
const fileQuestion = "May I send the file "

// approvalService is a gatedService that asks users before an effect.
type approvalService struct{ *gatedService }

// newApprovalService configures a service that asks bob before it sends a file. by is how bob must
// approve: by a yes, or by a code.
func newApprovalService(t *testing.T, by, fields string) approvalService {
	t.Helper()
	l := approvalService{newGatedService(t, sendFileModel, "", "bob, approvals: {send_file: "+by+"}"+fields)}
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	return l
}

// writeHomeFile writes a file into bob's home.
func (l approvalService) writeHomeFile(name, text string) {
	l.T.Helper()
	if err := os.WriteFile(filepath.Join(l.UserHome("bob"), name), []byte(text), 0o600); err != nil {
		l.T.Fatal(err)
	}
	apptest.ChownToWorkers(l.T, l.UserHome("bob"))
}

// pressLabel presses the user's newest button with a label.
func (l approvalService) pressLabel(name, label string) {
	l.T.Helper()
	u := l.telegramUser(name)
	for _, m := range slices.Backward(l.bot.BotMessages(u.ID)) {
		for _, row := range m.Keyboard {
			for _, b := range row {
				if b.Text == label {
					if _, _, err := l.bot.PressButton(telegramtest.PrivateChat(u), u, m.ID, b.Data); err != nil {
						l.T.Fatal(err)
					}
					return
				}
			}
		}
	}
	l.T.Fatalf("there is no button %q for %s: %q", label, name, l.told(name))
}

// kill kills the service's processes, as a crash would.
func (l approvalService) kill() {
	l.T.Helper()
	at := time.Now()
	l.Kill()
	l.bot.RecordClientKill(at)
	l.CheckIntegrity()
}

// isWaiting says whether a question is unanswered.
func (l approvalService) isWaiting() bool {
	return l.QueryCount(`SELECT count(*) FROM question q JOIN turn t ON t.id = q.turn WHERE q.why IS NULL AND t.ended_at IS NULL`) > 0
}

// requestFile lets bob ask for a file, and waits until the question to bob is sent and stored. So
// the service has no reason to ask again after a restart.
func (l approvalService) requestFile(file string) {
	l.T.Helper()
	l.sayAndAwait("bob", file, fileQuestion)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
}

// allDelivered says whether every message to users has arrived.
func (l *gatedService) allDelivered() bool {
	return l.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
}

// isDone says whether the service has nothing left to do.
func (l approvalService) isDone() bool {
	return l.bot.CountPendingUpdates() == 0 && l.QueryCount("SELECT count(*) FROM inbox WHERE state IN ('new', 'running')") == 0 && l.allDelivered()
}

// awaitDone waits until the service has nothing left to do.
func (l approvalService) awaitDone() {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be done", l.isDone)
}

// checkArrived fails unless exactly these files have arrived at bob. A second copy of a file must
// say that it may be a repeat.
func (l approvalService) checkArrived(names ...string) {
	l.T.Helper()
	if n := l.QueryCount("SELECT count(*) FROM effect WHERE kind = 'file.sent'"); n != len(names) {
		l.T.Errorf("%d files have left, want %q", n, names)
	}
	plain, marked, want := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range l.bot.BotMessages(l.telegramUser("bob").ID) {
		switch {
		case m.File == nil:
		case strings.HasPrefix(m.Text, apptest.RepeatedMessageMark):
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

// questionCount returns how many questions users have got.
func (l approvalService) questionCount() int { return l.QueryCount("SELECT count(*) FROM question") }

// checkAnswer fails unless bob got this answer exactly once. A second copy must be marked as a
// repeat.
func (l approvalService) checkAnswer(answer string) {
	l.T.Helper()
	if !slices.ContainsFunc(l.told("bob"), func(text string) bool { return strings.Contains(text, answer) }) {
		l.T.Errorf("bob was told %q, want %q", l.told("bob"), answer)
	}
}

// awaitInFlat waits until a message in the group "the flat" contains these words.
func (l *gatedService) awaitInFlat(words string) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, "the flat to read "+words, func() bool {
		return slices.ContainsFunc(l.bot.BotMessages(flatChat.ID), func(m telegramtest.Message) bool { return strings.Contains(m.Text, words) })
	})
}

// sendFileCode sends bob's code, which allows the service to send the file.
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

// sentAnswer returns the model's answer after it has sent a file of this name and size.
func sentAnswer(name string, bytes int) string {
	return fmt.Sprintf("%s was queued for the chat as %s, %d bytes.", name, name, bytes)
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
