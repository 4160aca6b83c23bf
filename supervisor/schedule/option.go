package schedule

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// option is a setting of a job, other than its times and text.
type option struct {
	kinds []supervisor.JobKind // kinds of jobs for which users can set the option
	want  string               // valid values of the option, in words
	// set parses a value into o; "" means the default. ok is false if the value is invalid; err may
	// give the reason.
	set func(ed *editor, user supervisor.User, o *supervisor.JobOptions, value string) (ok bool, err error)
	// show describes the option's value; "" means the default.
	show func(o supervisor.JobOptions) string
}

var (
	everyKind = []supervisor.JobKind{supervisor.JobReminder, supervisor.JobTask, supervisor.JobCheck, supervisor.JobRoutine}
	timeKinds = []supervisor.JobKind{supervisor.JobReminder, supervisor.JobTask, supervisor.JobCheck}
	fireKinds = []supervisor.JobKind{supervisor.JobTask, supervisor.JobCheck}
	turnKinds = []supervisor.JobKind{supervisor.JobTask, supervisor.JobCheck, supervisor.JobRoutine}
)

// Limits and words of job options.
const (
	minGrace     = time.Minute
	longestGrace = 7 * 24 * time.Hour
	optionTo     = "to" // the conversation in which the job posts; not stored in JobOptions
	wordUsual    = "default"
	wordYes      = "yes"
	wordNo       = "no"
	priorityHigh = "urgent" // another word for the high priority
)

// options are all job options, by name.
var options = map[string]option{
	"on_miss": {timeKinds, "run, skip or ask", oneOf(func(o *supervisor.JobOptions) *supervisor.MissedRunMode { return &o.Missed },
		supervisor.MissedRunModeOnce, supervisor.MissedRunModeSkip, supervisor.MissedRunModeAsk), nil},
	"grace": {timeKinds, "how late it may be, such as 2h or 30m, from 1m to 168h", setGrace, nil},
	"overlap": {fireKinds, "skip or queue", oneOf(func(o *supervisor.JobOptions) *supervisor.OverlapMode { return &o.Overlap },
		supervisor.OverlapSkip, supervisor.OverlapQueue), func(o supervisor.JobOptions) string {
		return textOverlap[o.Overlap]
	}},
	"priority": {everyKind, "low, high (or urgent) or default", setPriority, func(o supervisor.JobOptions) string { return textPriority[o.Priority] }},
	"exact": {fireKinds, "yes or no", setExact, func(o supervisor.JobOptions) string {
		return map[bool]string{true: textExact}[o.Exact]
	}},
	"model": {turnKinds, "PROVIDER/MODEL", setModel, func(o supervisor.JobOptions) string { return formatOption(textModel, o.Model) }},
	"workspace": {fireKinds, "the name of one of your workspaces", setWorkspace, func(o supervisor.JobOptions) string {
		return formatOption(textWorkspace, o.Workspace)
	}},
	"steps": {turnKinds, "a number from 1 on", numberUpTo("steps", func(o *supervisor.JobOptions) *int { return &o.Steps }, func(l protocol.TurnLimits) int { return l.Steps }), func(o supervisor.JobOptions) string {
		return formatOption(textSteps, o.Steps)
	}},
	"minutes": {turnKinds, "a number from 1 on", numberUpTo("minutes", func(o *supervisor.JobOptions) *int { return &o.Minutes }, func(l protocol.TurnLimits) int { return int(l.Seconds / 60) }), func(o supervisor.JobOptions) string {
		return formatOption(textMinutes, o.Minutes)
	}},
}

// formatOption formats an option's value; "" if it is zero.
func formatOption[T comparable](format string, value T) string {
	if value == *new(T) {
		return ""
	}
	return fmt.Sprintf(format, value)
}

// setOptions sets all options in values, except the destination. An error is for the author of the
// values; then the job must not be stored.
func (ed *editor) setOptions(user supervisor.User, j *supervisor.Job, values map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o, known := options[name]
		switch {
		case name == optionTo:
			continue
		case !known:
			return supervisor.Errorf(supervisor.CodeInvalid, textNoOption, printable.DropControls(name),
				strings.Join(optionNames(j.Kind), ", "))
		case !slices.Contains(o.kinds, j.Kind):
			return supervisor.Errorf(supervisor.CodeInvalid, textNotOfKind, strings.ToLower(nouns[j.Kind]), name, strings.Join(optionNames(j.Kind), ", "))
		}
		value := strings.TrimSpace(values[name])
		if strings.EqualFold(value, wordUsual) {
			value = ""
		}
		ok, err := o.set(ed, user, &j.Options, value)
		if err != nil {
			return err
		}
		if !ok {
			return supervisor.Errorf(supervisor.CodeInvalid, textWrongOption, name,
				printable.DropControls(brief(value)), o.want)
		}
	}
	return nil
}

// setAll sets all options in values, including the destination.
func (ed *editor) setAll(ctx context.Context, from origin, j *supervisor.Job, values map[string]string) error {
	if err := ed.setOptions(from.user, j, values); err != nil {
		return err
	}
	return ed.setDestination(ctx, from, j, values)
}

// optionNames returns the names of the options of a kind of job.
func optionNames(kind supervisor.JobKind) []string {
	names := []string{optionTo}
	for name, o := range options {
		if slices.Contains(o.kinds, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// optionValues returns the options of a tool call as texts.
func optionValues(set map[string]any) (map[string]string, error) {
	values := map[string]string{}
	for name, v := range set {
		switch v := v.(type) {
		case string:
			values[name] = v
		case bool, float64:
			values[name] = fmt.Sprint(v)
		case nil:
			values[name] = ""
		default:
			return nil, supervisor.Errorf(supervisor.CodeInvalid, textWrongOption, printable.DropControls(name),
				brief(fmt.Sprint(v)), "a text")
		}
	}
	return values, nil
}

type setter = func(*editor, supervisor.User, *supervisor.JobOptions, string) (bool, error)

// oneOf returns a setter that accepts one of several words.
func oneOf[T ~string](field func(*supervisor.JobOptions) *T, words ...T) setter {
	return func(_ *editor, _ supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
		word := T(strings.ToLower(value))
		*field(o) = word
		return word == "" || slices.Contains(words, word), nil
	}
}

// numberUpTo returns a setter that accepts a number from 1 to the limit of any turn.
func numberUpTo(name string, field func(*supervisor.JobOptions) *int, most func(protocol.TurnLimits) int) setter {
	return func(ed *editor, _ supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
		if value == "" {
			*field(o) = 0
			return true, nil
		}
		n, err := strconv.Atoi(value)
		*field(o) = n
		if most := most(ed.limits()); err != nil || n < 1 || n > most {
			return false, supervisor.Errorf(supervisor.CodeInvalid, textWrongOption, name,
				printable.DropControls(brief(value)), fmt.Sprintf(textFromOneTo, most))
		}
		return true, nil
	}
}

func setGrace(_ *editor, _ supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
	if value == "" {
		o.Grace = 0
		return true, nil
	}
	d, err := time.ParseDuration(strings.ReplaceAll(strings.ReplaceAll(value, " ", ""), "min", "m"))
	o.Grace = d
	return err == nil && d >= minGrace && d <= longestGrace, nil
}

func setPriority(_ *editor, _ supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
	word := supervisor.JobPriority(strings.ToLower(value))
	if word == priorityHigh {
		word = supervisor.JobPriorityHigh
	}
	o.Priority = word
	return slices.Contains([]supervisor.JobPriority{"", supervisor.JobPriorityLow, supervisor.JobPriorityHigh}, word),
		nil
}

func setExact(_ *editor, _ supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
	exact, ok := map[string]bool{"": false, wordNo: false, "false": false, wordYes: true, "true": true}[strings.ToLower(value)]
	o.Exact = exact
	return ok, nil
}

// setModel stores a model by its full name, so that its meaning does not depend on later
// configuration.
func setModel(ed *editor, user supervisor.User, o *supervisor.JobOptions, value string) (ok bool, err error) {
	if o.Model = value; value != "" {
		o.Model, err = ed.resolveModel(user.Name, value)
	}
	return true, err
}

func setWorkspace(_ *editor, user supervisor.User, o *supervisor.JobOptions, value string) (bool, error) {
	o.Workspace = value
	names := []string{}
	for _, folder := range user.Workspaces {
		names = append(names, path.Base(folder))
	}
	switch {
	case value == "" || slices.Contains(names, value):
		return true, nil
	case len(names) == 0:
		return false, supervisor.Errorf(supervisor.CodeInvalid, "%s", textNoWorkspace)
	}
	return false, supervisor.Errorf(supervisor.CodeInvalid, textWrongOption, "workspace",
		printable.DropControls(brief(value)), strings.Join(names, ", "))
}

// missedText says what the job does at a missed time.
func missedText(j supervisor.Job) string {
	late := amount.FormatDuration(j.Options.Grace)
	switch {
	case j.Kind == supervisor.JobRoutine:
		return ""
	case j.Options.Missed == supervisor.MissedRunModeSkip || j.Options.Missed == supervisor.MissedRunModeAsk:
		return textOnMiss[j.Options.Missed]
	case j.Options.Grace > 0:
		return fmt.Sprintf(textWithinGrace, late)
	case j.Kind == supervisor.JobReminder:
		return textRemindLate
	}
	if rule, err := recurrence.JobRule(j); err == nil && rule.Kind == recurrence.Once {
		return textRunOnceLate
	}
	return textRunLate
}
