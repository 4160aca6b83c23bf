package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/recurrence"
)

// Tool runs a tool call of a model, for a turn that answers in a conversation.
type Tool = func(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall,
) (protocol.JobCallResult, error)

// tools are the tools about jobs, by name.
var tools = map[string]func(*toolCalls, context.Context, supervisor.User, toolCall) (protocol.JobCallResult, error){
	"schedule_task":    (*toolCalls).scheduleTask,
	"list_tasks":       (*toolCalls).listTasks,
	"update_task":      (*toolCalls).updateTask,
	"cancel_task":      (*toolCalls).cancelTask,
	"get_task_results": (*toolCalls).taskResults,
}

// toolCalls runs tool calls about jobs.
type toolCalls struct {
	*editor
	sources TurnOrigins
	// names the words of others that a turn has read; see Options
	foreign func(ctx context.Context, turn int64) (string, error)
	others  map[string]Tool // further tools about jobs, by name
}

// toolCall is a tool call, and the conversation in which its turn answers.
type toolCall struct {
	supervisor.JobToolCall
	in supervisor.Conversation
}

// maxUnapproved is the most turns a day that a job of the model may start without the user's
// approval.
const maxUnapproved = 4

// RunCall runs a tool call, for a turn that answers in a conversation. A repeated call changes
// nothing more. An error is for the model.
func (tc *toolCalls) RunCall(ctx context.Context, c supervisor.JobToolCall,
	in supervisor.Conversation) (answer protocol.JobCallResult, err error) {
	user, known := tc.person(c.User)
	tool, other := tools[c.Call.Name], tc.others[c.Call.Name]
	switch {
	case known && tool != nil:
		return tool(tc, ctx, user, toolCall{c, in})
	case known && other != nil:
		return other(ctx, user, in, c)
	}
	return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", textNothing)
}

func (tc *toolCalls) scheduleTask(ctx context.Context, user supervisor.User, c toolCall) (
	answer protocol.JobCallResult, err error,
) {
	var args protocol.ScheduleTaskArguments
	if err := decode(c, &args); err != nil {
		return answer, err
	}
	j, err := tc.newJob(args, user, c)
	if err != nil {
		return answer, err
	}
	from := c.from(user, args.When)
	if err := tc.setCallOptions(ctx, from, &j, args.Options); err != nil {
		return answer, err
	}
	if err := tc.approveNew(ctx, from, j); err != nil {
		return answer, err
	}
	if j.Options.World, err = tc.sources.HasWorldWords(ctx, c.Turn); err != nil {
		return answer, err
	}
	if err := tc.approveSet(ctx, from, j); err != nil {
		return answer, err
	}
	why, err := tc.setTimes(&j, from)
	if err != nil {
		return answer, err
	}
	if why == textWorld {
		why, err = tc.nameWorld(ctx, c.Turn)
	} else if why == "" {
		why, err = tc.proposeUnnamed(ctx, from, &j)
	}
	if err != nil {
		return answer, err
	}
	terms := tc.DescribeOptions(j)
	j, err = tc.Add(ctx, j, func(j supervisor.Job) supervisor.Delivery {
		d := cardWith(j, tc.checkText(j), terms)
		d.Conversation = c.in
		if why != "" {
			d.Text += fmt.Sprintf(textProposed, why)
		}
		return d
	})
	if err != nil {
		return answer, err
	}
	words, next := tc.describe(j)
	answer.Text = fmt.Sprintf(answerMade, nouns[j.Kind], j.ID, words, next)
	if j.State == supervisor.JobProposed {
		answer.Text += fmt.Sprintf(answerProposed, why)
	}
	answer.Brief = fmt.Sprintf("%s %d", strings.ToLower(nouns[j.Kind]), j.ID)
	return answer, nil
}

// proposeUnnamed proposes a check of a page whose address is not in the user's words. A model may
// put what it has read into an address. why says so to the user. "" means that the job needs no
// approval.
func (tc *toolCalls) proposeUnnamed(ctx context.Context, from origin, j *supervisor.Job) (why string, err error) {
	address := j.Options.Check.URL
	if address == "" {
		return "", nil
	}
	named, err := tc.ownWords(ctx, from, func(words string) bool { return tc.rules.Names(words, address) })
	if err != nil || named {
		return "", err
	}
	propose(j)
	return textUnnamed, nil
}

// nameWorld returns a sentence about the words of others that a turn had read when it made a job.
func (tc *toolCalls) nameWorld(ctx context.Context, turn int64) (why string, err error) {
	if tc.foreign == nil {
		return textWorld, nil
	}
	words, err := tc.foreign(ctx, turn)
	if words == "" || err != nil {
		return textWorld, err
	}
	return textWorld + fmt.Sprintf(textWorldOf, words), nil
}

// newJob returns the job that a tool call describes, or an error for the model.
func (tc *toolCalls) newJob(args protocol.ScheduleTaskArguments, user supervisor.User, c toolCall) (j supervisor.Job,
	err error) {
	kind, known := map[string]supervisor.JobKind{"": supervisor.JobReminder, "reminder": supervisor.JobReminder,
		"task":  supervisor.JobTask,
		"check": supervisor.JobCheck}[args.Kind]
	switch err := checkWords(args.Text, args.Name); {
	case !known:
		return j, supervisor.Errorf(supervisor.CodeInvalid, answerKind, args.Kind)
	case err != nil:
		return j, err
	case strings.TrimSpace(args.Text) == "":
		return j, supervisor.Errorf(supervisor.CodeInvalid, "%s", answerNoText)
	case kind != supervisor.JobReminder && c.Kind == supervisor.TurnJob:
		return j, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerOnlyHere)
	}
	check := supervisor.CheckCondition{}
	if kind == supervisor.JobCheck {
		if check, err = tc.rules.Parse(args.Check); err != nil {
			return j, err
		}
	}
	return supervisor.Job{User: user.Name, Kind: kind, Name: normalizeName(args.Name),
		Text: strings.TrimSpace(args.Text), Zone: user.Timezone,
		Conversation: c.in, MadeBy: madeByCall(c.Turn, c.Call.ID),
		Options: supervisor.JobOptions{Check: check}}, nil
}

// from returns the origin of a tool call.
func (c toolCall) from(user supervisor.User, when string) origin {
	return origin{user: user, in: c.in, turn: c.Turn, kind: c.Kind, call: c.Call.ID, when: when}
}

// setCallOptions sets a job's options from a tool call.
func (tc *toolCalls) setCallOptions(ctx context.Context, from origin, j *supervisor.Job, set map[string]any) error {
	values, err := optionValues(set)
	if err != nil {
		return err
	}
	return tc.setAll(ctx, from, j, values)
}

// setTimes sets a job's times from the model's words; "" changes nothing. why says why the user
// must approve the job first; "" means that no approval is needed.
func (tc *toolCalls) setTimes(j *supervisor.Job, from origin) (why string, err error) {
	if from.when == "" {
		return "", nil
	}
	if err := setRule(j, from, tc.now()); err != nil {
		return "", err
	}
	if why, err = whyProposed(*j); why != "" {
		propose(j)
	}
	return why, err
}

// propose makes a job wait for the user's approval. Only a job with a single time stays due, so
// that its user learns when that has passed.
func propose(j *supervisor.Job) {
	j.State = supervisor.JobProposed
	if rule, err := recurrence.JobRule(*j); err != nil || rule.Kind != recurrence.Once {
		j.Next = time.Time{}
	}
}

// whyProposed says why a job of the model needs the user's approval; "" means that no approval is
// needed.
func whyProposed(j supervisor.Job) (why string, err error) {
	switch {
	case !j.MayStartTurn() && (j.Kind != supervisor.JobCheck || !j.Options.World):
		return "", nil
	case j.Options.World:
		return textWorld, nil
	}
	at, found, err := recurrence.NextDue(j, j.FiredUntil)
	for n, end := 0, at.Add(24*time.Hour); err == nil && found && at.Before(end); n++ {
		if n >= maxUnapproved {
			return fmt.Sprintf(textOften, maxUnapproved), nil
		}
		j.FireCount++
		at, found, err = recurrence.NextDue(j, at)
	}
	return "", err
}

// describe returns a job's times in words, and its next time.
func (tc *toolCalls) describe(j supervisor.Job) (words, next string) {
	rule, times, err := nextTimes(j)
	if err != nil {
		return textBroken, textPaused
	}
	zone, _ := recurrence.JobZone(j) // can't fail, because nextTimes has read the zone
	if len(times) == 0 {
		return rule.Describe(zone), textPaused
	}
	return rule.Describe(zone), times[0].Format(timeLayout)
}

func (tc *toolCalls) listTasks(ctx context.Context, user supervisor.User, c toolCall) (
	answer protocol.JobCallResult, err error,
) {
	if c.in.IsInGroup() {
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerTasksInGroup)
	}
	list, err := tc.store.List(ctx, user.Name)
	if err != nil {
		return answer, err
	}
	lines := []string{}
	for _, j := range list {
		lines = append(lines, fmt.Sprintf(answerLine, j.ID, strings.ToLower(nouns[j.Kind]), j.State, DescribeTimes(j),
			brief(j.Text)))
		answer.World = answer.World || j.Options.World
	}
	answer.Text = cmp.Or(strings.Join(lines, "\n"), answerNone)
	answer.Brief = amount.Plural(int64(len(list)), "task", "tasks")
	return answer, nil
}

// brief returns the beginning of a text, on one line.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}

// maxResults is the most fire results in the answer to a tool call.
const maxResults = 10

func (tc *toolCalls) taskResults(ctx context.Context, user supervisor.User, c toolCall) (
	answer protocol.JobCallResult, err error,
) {
	var args protocol.TaskArguments
	if err := decode(c, &args); err != nil {
		return answer, err
	}
	if c.in.IsInGroup() {
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerResultsInGroup)
	}
	list, err := tc.store.ListResults(ctx, user.Name, args.ID, maxResults)
	if err != nil {
		return answer, err
	}
	lines := []string{}
	for _, r := range list {
		line := fmt.Sprintf(answerResult, r.Due.In(timezone.ForUser(user)).Format(dayLayout), r.Job, r.State)
		if r.Cost > 0 {
			line += ", " + money.FormatDollars(r.Cost)
		}
		if r.Text != "" {
			line += "\n" + brief(r.Text)
		}
		lines = append(lines, line)
		answer.World = answer.World || r.World
	}
	answer.Text = cmp.Or(strings.Join(lines, "\n"), answerNoResult)
	return answer, nil
}

// decode decodes a call's arguments.
func decode(c toolCall, args any) error {
	if err := json.Unmarshal(c.Call.Arguments, args); err != nil {
		wrong := new(json.UnmarshalTypeError)
		if errors.As(err, &wrong) {
			return supervisor.Errorf(supervisor.CodeInvalid, "%s is a %s, want a %s", wrong.Field, wrong.Value,
				wrong.Type)
		}
		return supervisor.Errorf(supervisor.CodeInvalid, "the arguments can't be read: %v", err)
	}
	return nil
}

// checkWords refuses texts and names that are too long, and names that look like a job's number.
func checkWords(text, name string) error {
	if len(text) > supervisor.MaxJobText {
		return supervisor.Errorf(supervisor.CodeInvalid, answerLong, len(text), supervisor.MaxJobText)
	}
	if n := utf8.RuneCountInString(name); n > supervisor.MaxJobName {
		return supervisor.Errorf(supervisor.CodeInvalid, answerName, n, supervisor.MaxJobName)
	}
	if name = normalizeName(name); numberPattern.MatchString(name) {
		return supervisor.Errorf(supervisor.CodeInvalid, answerNumber, name)
	}
	return nil
}
