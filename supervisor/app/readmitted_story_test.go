package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// A user is shut out while their turn runs, and let in again later. Then the answer comes once,
// also if the service was restarted meanwhile.
func TestAnswer_UserReadmitted_Arrives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ out, in func(*gatedService) }{
		"disabled": {func(l *gatedService) { l.mustRun("user", "disable", "bob") },
			func(l *gatedService) { l.mustRun("user", "enable", "bob") }},
		"enabled before a restart": {func(l *gatedService) { l.mustRun("user", "disable", "bob") },
			func(l *gatedService) {
				l.Stop()
				l.mustRun("user", "enable", "bob")
				l.Start()
			}},
		"dropped by a reload": {func(l *gatedService) { l.reloadWith("name: bob", "name: carl") },
			func(l *gatedService) { l.reloadWith("name: carl", "name: bob") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, goOn := make(chan bool, 9), make(chan bool)
			l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
				asked <- true
				<-goOn
				return modeltest.Answer{Text: "the answer"}
			}, "", "ann, role: admin", "bob, totp: 'off'")
			l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
			l.Start()
			l.say("bob", "hello")
			<-asked
			c.out(l)
			close(goOn)
			const failed = "SELECT count(*) FROM outbox WHERE user = 'bob' AND outcome = 'failed'"
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "the delivery to fail",
				func() bool { return l.QueryCount(failed) == 1 })
			if told := l.told("bob"); len(told) > 0 {
				t.Errorf("bob was told %q while shut out", told)
			}
			c.in(l)
			l.awaitTold("bob", 0, "the answer")
			l.Stop()
			if told := strings.Join(l.told("bob"), "|"); told != "the answer" {
				t.Errorf("bob was told %q", told)
			}
		})
	}
}

// reloadWith replaces a text of the configuration, and reloads the configuration.
func (l *gatedService) reloadWith(from, to string) {
	l.T.Helper()
	text, err := os.ReadFile(l.Config)
	if err != nil || !strings.Contains(string(text), from) {
		l.T.Fatalf("%q is not in the configuration: %v", from, err)
	}
	l.write("mews.yaml", strings.Replace(string(text), from, to, 1))
	l.mustRun("reload")
}

func (l *gatedService) mustRun(args ...string) {
	l.T.Helper()
	verb := exec.CommandContext(l.T.Context(), filepath.Join(l.Bin, "mews"), append(args, "--config", l.Config)...)
	out, err := verb.CombinedOutput()
	if err != nil {
		l.T.Fatalf("mews %s: %v: %s\n%s", strings.Join(args, " "), err, out, l.LogTail())
	}
}
