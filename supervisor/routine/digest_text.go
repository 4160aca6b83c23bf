package routine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/job"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

const (
	maxLines    = 10  // of a section of the digest
	maxNames    = 20  // of files
	maxTimes    = 3   // of a job
	maxLineText = 100 // characters of what somebody has named or asked
)

// digest is one that is put together.
type digest struct {
	now        time.Time // where its person is
	after      time.Time // of what was, all after this is told
	waitsAfter time.Time // what waits is new where it waits since after this
	text       strings.Builder
	news       bool // there is something to tell
	world      bool // some of it may be somebody else's words
}

// addSection adds lines below a heading; of too many the number of the rest.
func (d *digest) addSection(heading string, lines []string, most int) {
	if len(lines) == 0 {
		return
	}
	if d.text.Len() > 0 {
		d.text.WriteString("\n\n")
	}
	d.text.WriteString(heading)
	for _, line := range lines[:min(len(lines), most)] {
		d.text.WriteString("\n- " + line)
	}
	if more := len(lines) - most; more > 0 {
		fmt.Fprintf(&d.text, textDigestMore, more)
	}
}

// tomorrow is the same time on the next day.
func (d *digest) tomorrow() time.Time { return d.now.AddDate(0, 0, 1) }

// addToday is which reminders and tasks are due until the same time tomorrow. Tasks alone are no news.
func (d *digest) addToday(jobs []supervisor.Job) {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j supervisor.Job) bool {
		return j.State != supervisor.JobActive || j.Kind != supervisor.JobReminder && j.Kind != supervisor.JobTask ||
			!j.Next.Before(d.tomorrow())
	})
	slices.SortStableFunc(jobs, func(a, b supervisor.Job) int { return a.Next.Compare(b.Next) })
	var lines []string
	for _, j := range jobs {
		what := oneLine(j.Text)
		if j.Kind == supervisor.JobTask {
			what = fmt.Sprintf(textDigestTask, oneLine(job.Title(j)))
		}
		d.news = d.news || j.Kind == supervisor.JobReminder
		d.world = d.world || j.Options.World
		lines = append(lines, d.times(j)+": "+what)
	}
	d.addSection(textDigestToday, lines, maxLines)
}

// times are those of a job until the same time tomorrow.
func (d *digest) times(j supervisor.Job) string {
	var times []string
	for at, found := j.Next, true; found && at.Before(d.tomorrow()); {
		if len(times) == maxTimes {
			return strings.Join(times, ", ") + textDigestLater
		}
		text := at.In(d.now.Location()).Format("15:04")
		if at.In(d.now.Location()).YearDay() != d.now.YearDay() {
			text = fmt.Sprintf(textDigestTomorrow, text)
		}
		times = append(times, text)
		j.FireCount++
		next, more, err := recurrence.NextOf(j, at)
		at, found = next, more && err == nil // what can't be read is told of when it is due
	}
	return strings.Join(times, ", ")
}

// addJobs is what came of jobs. What came and had nothing to say, and cost nothing, is no news; nor are
// reminders that came.
func (d *digest) addJobs(list []supervisor.JobSummary) {
	var lines []string
	cost, paid := int64(0), 0
	for _, did := range list {
		count := func(state supervisor.FireState) int {
			if state == supervisor.FireSaid && did.Job.Kind == supervisor.JobReminder {
				return 0
			}
			return did.Fires[state]
		}
		var came []string
		news := did.Cost > 0
		for _, c := range digestCounts {
			if n := count(c.state); n > 0 {
				came = append(came, fmt.Sprintf(c.text, n))
				news = news || c.state != supervisor.FireSilent
			}
		}
		title := oneLine(job.Title(did.Job))
		if !news || title == "" { // it was forgotten
			continue
		}
		line := title + ": " + strings.Join(came, ", ")
		if did.Cost > 0 {
			line += fmt.Sprintf(textDigestCost, money.Dollars(did.Cost))
			paid++
		}
		if did.Job.State == supervisor.JobPaused {
			line += textDigestPaused
		}
		lines, cost, d.world = append(lines, line), cost+did.Cost, d.world || did.World
	}
	d.news = d.news || len(lines) > 0
	heading := fmt.Sprintf(textDigestDid, d.after.In(d.now.Location()).Format(dayLayout))
	if paid > 1 {
		heading += fmt.Sprintf(textDigestCosts, money.Dollars(cost))
	}
	d.addSection(heading, lines, maxLines)
}

// digestCounts say how many fires have come to what.
var digestCounts = []struct {
	state supervisor.FireState
	text  string
}{
	{supervisor.FireSaid, textDigestSaid}, {supervisor.FireSilent, textDigestSilent},
	{supervisor.FireFailed, textDigestFailed}, {supervisor.FireMissed, textDigestMissed},
	{supervisor.FireSkipped, textDigestSkipped},
}

// addFiles are the names of those that are new.
func (d *digest) addFiles(names []string) {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "`" + strings.ReplaceAll(oneLine(name), "`", "'") + "`"
	}
	d.news, d.world = d.news || len(names) > 0, d.world || len(names) > 0
	d.addSection(fmt.Sprintf(textDigestFiles, amount.Plural(len(names), "new file", "new files")), lines, maxNames)
}

// proposed are the jobs that wait for their person's yes.
func proposed(jobs []supervisor.Job) (list []supervisor.Waiting) {
	for _, j := range jobs {
		if j.State == supervisor.JobProposed {
			list = append(list, supervisor.Waiting{Kind: supervisor.WaitingJob, Text: job.Title(j), Since: j.CreatedAt,
				World: j.Options.World})
		}
	}
	return list
}

// addWaiting is what waits for the person. It is news where some of that is new.
func (d *digest) addWaiting(list []supervisor.Waiting) {
	var lines []string
	slices.SortStableFunc(list, func(a, b supervisor.Waiting) int {
		return cmp.Compare(b.Since.UnixMilli(), a.Since.UnixMilli())
	})
	for _, w := range list {
		subject := oneLine(w.Text)
		if w.Count > 0 {
			subject = amount.Plural(w.Count, "message", "messages")
		}
		if subject == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf(digestWaiting[w.Kind], subject))
		d.news, d.world = d.news || w.Since.After(d.waitsAfter), d.world || w.World
	}
	d.addSection(textDigestWaiting, lines, maxLines)
}

// oneLine is the first line of a text that a person or somebody else has written, cut where it is
// long.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(printable.Text(line)))
	if len(runes) > maxLineText {
		runes = append(runes[:maxLineText-1:maxLineText-1], '…')
	}
	return string(runes)
}
