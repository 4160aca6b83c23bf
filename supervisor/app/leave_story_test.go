package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// downloadService is a service of the real programs with two users. The download of a file from dan
// never ends.
type downloadService struct {
	*gatedService
}

func newDownloadService(t *testing.T) downloadService {
	l := downloadService{newGatedService(t, func(modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "ok"} }, "", "ann, role: admin", "dan")}
	l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.HangFault, Method: telegramtest.DownloadMethod})
	l.Start()
	l.say("dan", "", telegramtest.WithDocument(telegramtest.File{Name: "plan.txt", Size: 19 << 20}))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the file to come",
		func() bool { return l.downloads() == 1 && l.runningDownloads() == 1 })
	return l
}

// downloads returns how often the download of the file was requested.
func (l downloadService) downloads() int { return len(l.bot.Calls(telegramtest.DownloadMethod)) }

// runningDownloads returns how many downloads run at the moment.
func (l downloadService) runningDownloads() int {
	l.T.Helper()
	list, err := filepath.Glob(filepath.Join(l.Dir, "state", "private", "spool", "new-*"))
	if err != nil {
		l.T.Fatal(err)
	}
	return len(list)
}

// The files of a disabled user are not downloaded. Once the user is enabled again, the download
// continues without a new message.
func TestDownload_UserEnabledAgain_Resumes(t *testing.T) {
	t.Parallel()
	l := newDownloadService(t)
	l.mustRun("user", "disable", "dan")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the fetch to end", func() bool { return l.runningDownloads() == 0 })
	l.mustRun("user", "enable", "dan")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the file to come again", func() bool { return l.downloads() == 2 })
	l.Stop()
}

// The download stops before the user's data is deleted.
func TestUserDelete_StopsDownload(t *testing.T) {
	t.Parallel()
	l := newDownloadService(t)
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "name: dan") {
			left = append(left, line)
		}
	}
	l.write("mews.yaml", strings.Join(left, ""))
	l.mustRun("reload")
	l.mustRun("user", "delete", "dan", "--yes")
	if n := l.runningDownloads(); n != 0 {
		t.Errorf("%d files come", n)
	}
	for _, table := range []string{"inbox", "attachment", "operation", "blob", "conversation"} {
		if n := l.QueryCount("SELECT count(*) FROM " + table + " WHERE user = 'dan'"); n != 0 {
			t.Errorf("%d rows of theirs are left in %s", n, table)
		}
	}
	l.Stop()
}

func TestServiceStop_RunningDownload_IsNotAwaited(t *testing.T) {
	l := newDownloadService(t)
	begun := time.Now()
	l.Stop()
	t.Logf("it took %v", time.Since(begun).Round(time.Millisecond))
}
