package restore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
)

// Each item is listed once and keeps its button, in as many messages as that needs.
func TestNotices_ManyItems_EachHasItsButton(t *testing.T) {
	c := supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: "42"}
	const count = 2*maxLines + 5
	u := &sqlite.RestoredUser{}
	for n := range count {
		u.Turns = append(u.Turns, sqlite.RestoredTurn{Turn: int64(n + 1), Conversation: c,
			Text: fmt.Sprintf("question %d.", n)})
		u.Fires = append(u.Fires, supervisor.Fire{Job: supervisor.Job{ID: int64(n)}})
		u.Notices = append(u.Notices, fmt.Sprintf("held %d.", n))
	}
	list := Notices(NoticeOptions{MadeAt: noon, Journal: true, Admins: []string{"ann"},
		Private: func(string) supervisor.Conversation { return c },
		Zone:    func(string) *time.Location { return time.UTC },
		Due: func(fires []supervisor.Fire, _ time.Time) (lines []string, buttons [][]supervisor.Button) {
			for _, f := range fires {
				lines = append(lines, fmt.Sprintf("job %d.", f.Job.ID))
				buttons = append(buttons, []supervisor.Button{{Press: fmt.Sprintf("run %d", f.Job.ID)}})
			}
			return lines, buttons
		}}, sqlite.RestoreReport{Now: noon, Users: map[string]*sqlite.RestoredUser{"ann": u}})
	all, presses := "", map[string]int{}
	for n, d := range list {
		all += d.Text + "\n"
		if lines := strings.Count(d.Text, "\n- "); lines > maxLines || len(d.Buttons) > maxButtons {
			t.Errorf("message %d has %d lines and %d rows", n, lines, len(d.Buttons))
		}
		for _, row := range d.Buttons {
			presses[row[0].Press]++
		}
	}
	for n := range count {
		for _, want := range []string{fmt.Sprintf("question %d.", n), fmt.Sprintf("job %d.", n),
			fmt.Sprintf("held %d.", n)} {
			if strings.Count(all, want) != 1 {
				t.Errorf("%q is there %d times", want, strings.Count(all, want))
			}
		}
		for _, want := range []string{fmt.Sprintf("run %d", n), inbox.RetryButtons(int64(n + 1))[0][0].Press} {
			if presses[want] != 1 {
				t.Errorf("the press %q is there %d times", want, presses[want])
			}
		}
	}
	if presses[pressPrefix+pressMonth] != 1 || strings.Count(all, "restored from a backup") != 1 {
		t.Errorf("%d messages:\n%s", len(list), all)
	}
}
