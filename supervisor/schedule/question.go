package schedule

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// JobRequests answers the `mews job` command.
type JobRequests struct{ *editor }

// JobRequest has the parameters of `mews job`.
type JobRequest struct {
	User   string `json:"user,omitempty"` // the owner of the jobs; "" means the caller
	Action string `json:"action"`         // the action: list, show, add, edit, run, pause, resume, delete or results
	Job    string `json:"job,omitempty"`
	Words  string `json:"words,omitempty"` // words of a new or changed job: WHEN: TEXT; an edit may have only WHEN
	// Task makes the new job a task. A new check with Task starts a turn when its condition holds.
	Task bool `json:"task,omitempty"`

	Check protocol.CheckArguments `json:"check,omitzero"` // the check of the new job
	Name  string                  `json:"name,omitempty"` // the name of the new job

	// options of the job by name, to add or to edit
	Set map[string]string `json:"set,omitempty"`

	byOther bool // whether an admin makes the request for the user
}

// JobReport is the answer to a JobRequest.
type JobReport struct {
	Said    string                  `json:"said,omitempty"`
	Zone    string                  `json:"zone,omitempty"` // the time zone of the user
	Jobs    []JobListEntry          `json:"jobs,omitempty"`
	Results []supervisor.FireResult `json:"results,omitempty"`
}

// JobListEntry describes a job in a list of `mews job`.
type JobListEntry struct {
	ID       int64               `json:"id"`
	Kind     supervisor.JobKind  `json:"kind"`
	State    supervisor.JobState `json:"state"`
	Name     string              `json:"name,omitempty"`
	Title    string              `json:"title"`
	Text     string              `json:"text"`
	When     string              `json:"when"` // the job's times in words
	Zone     string              `json:"zone,omitempty"`
	Next     time.Time           `json:"next,omitzero"`
	Fired    int                 `json:"fired"`
	Failures int                 `json:"failures,omitempty"`

	Options supervisor.JobOptions `json:"options,omitzero"`
}

// actions are the functions that run requests, by JobRequest.Action.
var actions = map[string]func(*JobRequests, context.Context, supervisor.User, supervisor.Conversation,
	JobRequest) (JobReport, error){
	"list":    (*JobRequests).listAll,
	"add":     (*JobRequests).add,
	"results": (*JobRequests).listResults,
	"show": onJob(func(qs *JobRequests, _ context.Context, j supervisor.Job, _ JobRequest) (string, error) {
		return qs.card(j).Text, nil
	}),
	"edit": (*JobRequests).editNamed,
	"run": onJob(func(qs *JobRequests, ctx context.Context, j supervisor.Job, _ JobRequest) (string, error) {
		if j.Kind == supervisor.JobReminder {
			return "", supervisor.Errorf(supervisor.CodeInvalid, textNoRun, j.ID, j.ID)
		}
		return qs.RunNow(ctx, j, qs.now())
	}),
	"pause": onJob(func(qs *JobRequests, ctx context.Context, j supervisor.Job, _ JobRequest) (string, error) {
		_, err := qs.Pause(ctx, j)
		return fmt.Sprintf(textPausedShell, nouns[j.Kind], j.ID), err
	}),
	"resume": onJob(func(qs *JobRequests, ctx context.Context, j supervisor.Job, _ JobRequest) (string, error) {
		return qs.Resume(ctx, j, qs.now())
	}),
	"delete": onJob(func(qs *JobRequests, ctx context.Context, j supervisor.Job, _ JobRequest) (string, error) {
		return qs.remove(ctx, j)
	}),
}

// onJob returns an action that finds the named job and calls do.
func onJob(do func(*JobRequests, context.Context, supervisor.Job, JobRequest) (string, error)) func(*JobRequests,
	context.Context, supervisor.User, supervisor.Conversation, JobRequest) (JobReport, error) {
	return func(qs *JobRequests, ctx context.Context, user supervisor.User, _ supervisor.Conversation,
		q JobRequest) (r JobReport, err error) {
		j, err := qs.findNamed(ctx, user.Name, q.Job)
		if err != nil {
			return r, err
		}
		if r.Said, err = do(qs, ctx, j, q); err != nil {
			return r, err
		}
		if j, found, err := qs.store.Find(ctx, user.Name, j.ID); err == nil && found {
			r.Jobs = []JobListEntry{newJobLine(j)}
		}
		return r, nil
	}
}

// Answer answers a request of `mews job`. A job that it adds posts in the user's private chat.
func (qs *JobRequests) Answer(ctx context.Context, user supervisor.User, q JobRequest) (JobReport, error) {
	do := actions[cmp.Or(q.Action, "list")]
	if do == nil {
		return JobReport{}, supervisor.Errorf(supervisor.CodeInvalid, textNoAction, printable.DropControls(q.Action),
			strings.Join(slices.Sorted(maps.Keys(actions)), ", "))
	}
	if err := cmp.Or(q.check(), qs.rules.Typed(q.Check)); err != nil {
		return JobReport{}, err
	}
	r, err := do(qs, ctx, user, user.PrivateChat(), q)
	if q.Action == "" || q.Action == "list" || q.Action == "pause" { // other texts quote the job's own words
		r.Said = forTerminal(r.Said)
	}
	return r, errorForTerminal(err)
}

// check refuses fields that the action does not use, so that no input is ignored silently.
func (q JobRequest) check() error {
	takes := actionTakes[q.Action]
	check := supervisor.CheckCondition(q.Check)
	switch {
	case takes.job && q.Job == "":
		return supervisor.Errorf(supervisor.CodeInvalid, textNeedsJob, q.Action)
	case !takes.job && !takes.mayJob && q.Job != "":
		return supervisor.Errorf(supervisor.CodeInvalid, textTakesNothing, cmp.Or(q.Action, "list"),
			printable.DropControls(brief(q.Job)))
	case !takes.words && q.Words != "":
		return supervisor.Errorf(supervisor.CodeInvalid, textTakesNothing, cmp.Or(q.Action, "list"),
			printable.DropControls(brief(q.Words)))
	case !takes.set && len(q.Set) > 0:
		return supervisor.Errorf(supervisor.CodeInvalid, textNotForAction, "set", cmp.Or(q.Action, "list"), "add and edit")
	case q.Action != "add" && (q.Task || q.Name != "" || !check.IsEmpty() || check.Ask != "" || check.Contains != "" || check.AutoRemove || check.NotifyOnCheck):
		return supervisor.Errorf(supervisor.CodeInvalid, textNotForAction, "task, name, files, command, url, contains, ask, auto-remove and notify-on-check", cmp.Or(q.Action, "list"), "add")
	}
	return nil
}

// actionTakes lists the fields that each action uses. A field job is required, and a field mayJob
// is optional. The action add also uses other fields.
var actionTakes = map[string]struct{ job, mayJob, words, set bool }{
	"add": {words: true, set: true}, "edit": {job: true, words: true, set: true}, "show": {job: true}, "run": {job: true}, "pause": {job: true},
	"resume": {job: true}, "delete": {job: true}, "results": {mayJob: true},
}

func (qs *JobRequests) listAll(ctx context.Context, user supervisor.User, _ supervisor.Conversation,
	_ JobRequest) (r JobReport, err error) {
	list, err := qs.store.List(ctx, user.Name)
	for _, j := range list {
		r.Jobs = append(r.Jobs, newJobLine(j))
	}
	if len(list) == 0 {
		r.Said = textNoJobs
	}
	return r, err
}

func newJobLine(j supervisor.Job) JobListEntry {
	l := JobListEntry{ID: j.ID, Kind: j.Kind, State: j.State, Name: j.Name, Title: listTitle(j), Text: j.Text,
		Options: j.Options, When: textBroken, Zone: j.Zone, Next: j.Next, Fired: j.FireCount, Failures: j.FailuresInARow}
	if rule, err := recurrence.JobRule(j); err == nil {
		if zone, err := recurrence.JobZone(j); err == nil {
			l.When = rule.Describe(zone)
		}
	}
	return l
}

func (qs *JobRequests) add(ctx context.Context, user supervisor.User, c supervisor.Conversation,
	q JobRequest) (r JobReport, err error) {
	from, text, err := qs.readOrder(ctx, origin{user: user, in: c, byOther: q.byOther}, q.Words, qs.now())
	if err == nil {
		err = checkWords(text, q.Name)
	}
	if err != nil {
		return r, err
	}
	j := supervisor.Job{User: user.Name, Kind: supervisor.JobReminder, Name: normalizeName(q.Name), Text: text, Zone: user.Timezone, Conversation: c,
		MadeBy: fmt.Sprintf("typed/%d", qs.now().UnixNano())}
	switch check := supervisor.CheckCondition(q.Check); {
	case !check.IsEmpty() || check.Ask != "":
		q.Check.Task = q.Task
		if j.Options.Check, err = qs.rules.Parse(q.Check); err != nil {
			return r, err
		}
		j.Kind = supervisor.JobCheck
	case q.Task:
		j.Kind = supervisor.JobTask
	}
	if err := qs.setAll(ctx, from, &j, q.Set); err != nil {
		return r, err
	}
	if err := qs.approveNew(ctx, from, j); err != nil {
		return r, err
	}
	if err := setRule(&j, from, qs.now()); err != nil {
		return r, err
	}
	if j, err = qs.Add(ctx, j, nil); err != nil {
		return r, err
	}
	return JobReport{Said: qs.card(j).Text, Jobs: []JobListEntry{newJobLine(j)}}, nil
}

// editNamed changes the job that a request names.
func (qs *JobRequests) editNamed(ctx context.Context, user supervisor.User, c supervisor.Conversation,
	q JobRequest) (r JobReport, err error) {
	j, err := qs.findNamed(ctx, user.Name, q.Job)
	if err != nil {
		return r, err
	}
	if j, err = qs.edit(ctx, origin{user: user, in: c, byOther: q.byOther}, j, q.Words, q.Set); err != nil {
		return r, err
	}
	return JobReport{Said: qs.card(j).Text, Jobs: []JobListEntry{newJobLine(j)}}, nil
}

// maxReported is the most fire results in a report.
const maxReported = 50

func (qs *JobRequests) listResults(ctx context.Context, user supervisor.User, _ supervisor.Conversation,
	q JobRequest) (r JobReport, err error) {
	id := int64(0)
	if q.Job != "" {
		j, err := qs.findNamed(ctx, user.Name, q.Job)
		if err != nil {
			return r, err
		}
		id = j.ID
	}
	r.Zone = user.Timezone
	r.Results, err = qs.store.ListResults(ctx, user.Name, id, maxReported)
	if len(r.Results) == 0 {
		r.Said = answerNoResult
	}
	return r, err
}

// zoneNamed returns a time zone by its name. If the name is unknown, it returns the machine's zone.
func zoneNamed(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil && name != "" {
		return zone
	}
	return time.Local
}

// Text formats the answer to `mews job` for people.
func (r JobReport) Text() string {
	var b strings.Builder
	if r.Said != "" {
		return r.Said + "\n"
	}
	for _, j := range r.Jobs {
		next := string(j.State)
		if !j.Next.IsZero() {
			next = j.Next.In(zoneNamed(j.Zone)).Format(timeLayout)
		}
		fmt.Fprintf(&b, "%d. %s: %s\n    %s: %s\n", j.ID, strings.ToLower(nouns[j.Kind]),
			printable.DropControls(brief(j.Title)), j.When, next)
	}
	for _, f := range r.Results {
		fmt.Fprintf(&b, answerResult, f.Due.In(zoneNamed(r.Zone)).Format(dayLayout), f.Job, fireWords[f.State])
		if f.Cost > 0 {
			b.WriteString(", " + money.FormatDollars(f.Cost))
		}
		if f.Text != "" {
			b.WriteString("\n    " + printable.DropControls(brief(f.Text)))
		}
		b.WriteString("\n")
	}
	return b.String()
}
