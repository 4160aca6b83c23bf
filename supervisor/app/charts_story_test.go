package app_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// pythonCharts is a program that leaves two pictures, and more files, in the charts folder. The text
// MARK is part of the names.
const pythonCharts = `{"code":"import base64, os\nos.makedirs('charts', exist_ok=True)\n` +
	`png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ' +\n` +
	`    'AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')\n` +
	`for name in ('MARK-1.png', 'MARK-2.PNG'): open('charts/' + name, 'wb').write(png)\n` +
	`open('charts/MARK.png', 'w').write('no picture')\nopen('MARK.png', 'wb').write(png)"}`

// pythonCall returns a call that draws with Python.
func pythonCall(mark string) []modeltest.Call {
	return calls("run_python", strings.ReplaceAll(pythonCharts, "MARK", mark))
}

// sentPictures lists the names of the pictures in a chat with the bot.
func (l *aliceService) sentPictures(chat int64) (names []string) {
	for _, m := range l.bot.BotMessages(chat) {
		if m.Media == "photo" && m.File != nil {
			names = append(names, m.File.Name)
		}
	}
	return names
}

// Charts that the assistant draws come to the private chat by themselves, also those of a task. A
// group gets none, and a person who wants to be asked is asked by send_file alone.
func TestCharts_ArePicturesInPrivateChats(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	m := &taskModel{chat: scriptedModel{
		{words: "draw my weight", calls: calls("plot_chart",
			`{"kind":"line","title":"Weight","series":[{"x":["2026-11-01","2026-11-08"],"y":[71,70.5]}]}`),
			answer: "Here is your weight."},
		{words: "with python", calls: pythonCall("chat"), answer: "Here are two."},
		{words: "in the group", calls: pythonCall("group"), answer: "They are in charts."},
		{words: "every hour", calls: calls("schedule_task",
			`{"when":"daily at 23:30","text":"Draw it.","kind":"task","name":"Chart"}`),
			answer: "It is set."},
	}}
	l := newTaskService(t, m, "")
	chat := l.telegramUser("alice").ID
	l.say("alice", "draw my weight")
	l.awaitLastTold("alice", "Here is your weight.")
	chart := filepath.Join(l.UserHome("alice"), "charts", "weight.png")
	if _, err := os.Stat(chart); err != nil {
		t.Error(err)
	}
	l.say("alice", "/undo")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the chart to be gone", func() bool {
		_, err := os.Stat(chart)
		return errors.Is(err, fs.ErrNotExist)
	})
	l.say("alice", "and with python")
	l.awaitLastTold("alice", "Here are two.")
	if got := strings.Join(l.sentPictures(chat), " "); got != "weight.png chat-1.png chat-2.PNG" {
		t.Errorf("alice got %s", got)
	}

	l.say("alice", "draw it every hour")
	l.awaitLastTold("alice", "It is set.")
	m.queueAnswers(modeltest.Answer{Calls: pythonCall("task")}, reportAnswer("The task has drawn."))
	l.moveTo(time.Date(2025, 11, 20, 22, 31, 0, 0, time.UTC))
	l.awaitLastTold("alice", "The task has drawn.")
	if got := strings.Join(l.sentPictures(chat), " "); !strings.HasSuffix(got, " task-1.png task-2.PNG") {
		t.Errorf("after the task alice got %s", got)
	}

	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("")
	l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot draw in the group")
	l.awaitInFlat("They are in charts.")
	if got := l.sentPictures(flatChat.ID); len(got) > 0 {
		t.Errorf("the group got %v", got)
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be delivered", l.allDelivered)
}
