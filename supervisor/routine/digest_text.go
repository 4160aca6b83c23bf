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
	maxLines    = 10  // the most lines in a section of the digest
	maxNames    = 20  // the most file names in the digest
	maxTimes    = 3   // the most times of a job in the digest
	maxLineText = 100 // the most characters of a job's or question's text
)

// digest is the text of a digest while it is built.
type digest struct {
	now        time.Time // the time in the user's zone
	after      time.Time // the start of the time that the digest covers
	waitsAfter time.Time // items that began to wait after this time are news
	text       strings.Builder
	news       bool // the digest has something to report
	world      bool // the text may contain somebody else's words
}

// addSection adds lines below a heading. most is the maximum of lines; the rest is counted.
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

// tomorrow returns the same time on the next day.
func (d *digest) tomorrow() time.Time { return d.now.AddDate(0, 0, 1) }

// addToday adds the reminders and tasks of the next 24 hours. A list that has only tasks is no
// news.
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

// times formats the times of a job in the next 24 hours.
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
		next, more, err := recurrence.NextDue(j, at)
		at, found = next, more && err == nil // an unreadable rule is reported when the job is due
	}
	return strings.Join(times, ", ")
}

// addJobs adds the results of jobs. Sent reminders are no news. A silent fire that cost nothing is
// no news either.
func (d *digest) addJobs(list []supervisor.JobSummary) {
	var lines []string
	cost, paid := int64(0), 0
	for _, did := range list {
		count := func(state supervisor.FireState) int {
			if state == supervisor.FireSentMessage && did.Job.Kind == supervisor.JobReminder {
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
		if !news || title == "" { // title is "" if the job's data was forgotten
			continue
		}
		line := title + ": " + strings.Join(came, ", ")
		if did.Cost > 0 {
			line += fmt.Sprintf(textDigestCost, money.FormatDollars(did.Cost))
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
		heading += fmt.Sprintf(textDigestCosts, money.FormatDollars(cost))
	}
	d.addSection(heading, lines, maxLines)
}

// digestCounts are the texts about the number of fires, by state.
var digestCounts = []struct {
	state supervisor.FireState
	text  string
}{
	{supervisor.FireSentMessage, textDigestSaid}, {supervisor.FireSilent, textDigestSilent},
	{supervisor.FireFailed, textDigestFailed}, {supervisor.FireMissed, textDigestMissed},
	{supervisor.FireSkipped, textDigestSkipped},
}

// addFiles adds the names of new files.
func (d *digest) addFiles(names []string) {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "`" + strings.ReplaceAll(oneLine(name), "`", "'") + "`"
	}
	d.news, d.world = d.news || len(names) > 0, d.world || len(names) > 0
	d.addSection(fmt.Sprintf(textDigestFiles, amount.Plural(len(names), "new file", "new files")), lines, maxNames)
}

// proposed returns the jobs that wait for the user's approval.
func proposed(jobs []supervisor.Job) (list []supervisor.WaitingItem) {
	for _, j := range jobs {
		if j.State == supervisor.JobProposed {
			list = append(list, supervisor.WaitingItem{Kind: supervisor.WaitingJob, Text: job.Title(j),
				Since: j.CreatedAt,
				World: j.Options.World})
		}
	}
	return list
}

// addWaiting adds the items that wait for the user. The items are news if any of them is new.
func (d *digest) addWaiting(list []supervisor.WaitingItem) {
	var lines []string
	slices.SortStableFunc(list, func(a, b supervisor.WaitingItem) int {
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

// oneLine returns the first line of a text, with at most maxLineText characters.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(printable.DropControls(line)))
	if len(runes) > maxLineText {
		runes = append(runes[:maxLineText-1:maxLineText-1], '…')
	}
	return string(runes)
}
