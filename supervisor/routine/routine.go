package routine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/job"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// kind describes one routine.
type kind struct {
	command      string // the command that turns the routine on and off
	help         string // the help text of that command
	private      bool   // the command does not answer in a group
	description  string // describes the routine to the user
	defaultTimes string // the default times, as recurrence.Parse reads them
	fixedTimes   bool   // the user can't set other times

	// startsAfresh means that turning the routine on deletes its last state, and runs it at once.
	startsAfresh bool
	check        func(context.Context, supervisor.CheckFire) (supervisor.CheckOutcome, error)
	modes        map[string]mode // the routine's modes, by name
}

// newKinds returns all routines, by name.
func (r *Routines) newKinds() map[string]kind {
	return map[string]kind{
		supervisor.RoutineHeartbeat: {
			command:      "heartbeat",
			help:         helpHeartbeat,
			description:  descriptionHeartbeat,
			defaultTimes: defaultHeartbeat,
			fixedTimes:   true,
			check:        r.heartbeat,
		},
		supervisor.RoutineDigest: {
			command:      "digest",
			help:         helpDigest,
			private:      true,
			description:  descriptionDigest,
			defaultTimes: defaultDigest,
			check:        r.digest,
			modes:        digestModes(),
		},
		supervisor.RoutineFileChanges: {
			command:      "notifications",
			help:         helpFiles,
			private:      true,
			description:  descriptionFiles,
			defaultTimes: defaultFiles,
			fixedTimes:   true,
			startsAfresh: true,
			check:        r.files,
		},
	}
}

// Names returns the names of all routines, sorted.
func Names() []string { return slices.Sorted(maps.Keys((&Routines{}).newKinds())) }

// commands returns the commands that turn routines on and off.
func (r *Routines) commands() (all []feature.Command) {
	kinds := r.newKinds()
	for _, name := range Names() {
		k := kinds[name]
		c := feature.Command{SlashCommand: supervisor.SlashCommand{Name: k.command, Help: k.help},
			Group: feature.HelpGroupReminders,
			Run: func(ctx context.Context, q feature.CommandRequest) (supervisor.Delivery, error) {
				return r.SwitchRoutine(ctx, q.User, q.Conversation, name, q.Arguments, q.At)
			}}
		if k.private {
			c.Private = feature.AlwaysPrivateAnswer
		}
		all = append(all, c)
	}
	return all
}

// mode changes how a routine works, by its options.
type mode func(*supervisor.JobOptions)

// cutMode cuts a mode off the beginning of words. Without a mode it returns nil and all words.
func (k kind) cutMode(words string) (m mode, rest string) {
	first, rest, _ := strings.Cut(words, " ")
	if m = k.modes[first]; m == nil {
		return nil, words
	}
	return m, strings.TrimSpace(rest)
}

// RunDueRoutine runs a routine that is due. An error fails the fire.
func (r *Routines) RunDueRoutine(ctx context.Context, c supervisor.CheckFire) (supervisor.CheckOutcome, error) {
	k, known := r.kinds[c.Job.Name]
	if !known {
		return supervisor.CheckOutcome{}, supervisor.Errorf(supervisor.CodeInvalid, textNoRoutine, c.Job.Name,
			strings.Join(Names(), ", "))
	}
	return k.check(ctx, c)
}

// ValidateTimes refuses other times for a routine with fixed times.
func (r *Routines) ValidateTimes(j supervisor.Job) error {
	if r.kinds[j.Name].fixedTimes {
		return supervisor.Errorf(supervisor.CodeInvalid, textRoutineSwitch, job.Title(j))
	}
	return nil
}

// Words that turn a routine on and off.
const (
	wordOn  = "on"
	wordOff = "off"
)

// SwitchRoutine turns a user's routine on or off, or says whether it is on. words are empty, on,
// off or a time. A mode may come before them, or stand alone.
func (r *Routines) SwitchRoutine(
	ctx context.Context, user supervisor.User, c supervisor.Conversation, name, words string, at time.Time,
) (d supervisor.Delivery, err error) {
	k, known := r.kinds[name]
	if !known {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textNoRoutine, name, strings.Join(Names(), ", "))
	}
	j, found, err := r.findRoutine(ctx, user.Name, name)
	mode, words := k.cutMode(strings.ToLower(strings.TrimSpace(words)))
	switch {
	case err != nil:
		return d, err
	case words == "" && mode == nil:
		return supervisor.Delivery{Text: r.routineText(name, j, found)}, nil
	case words == wordOff && !found:
		return supervisor.Delivery{Text: fmt.Sprintf(textRoutineOff, job.RoutineTitles[name])}, nil
	case words == wordOff:
		_, err := r.o.Jobs().Pause(ctx, j)
		return supervisor.Delivery{Text: fmt.Sprintf(textRoutineOff, job.RoutineTitles[name])}, err
	case words == wordOn || words == "" && !found:
		words = k.defaultTimes
	case words == "":
		return r.switchMode(ctx, j, mode, at)
	case k.fixedTimes:
		return d, supervisor.Errorf(supervisor.CodeInvalid, textRoutineSwitch, job.RoutineTitles[name])
	}
	when := words
	if !strings.ContainsAny(words, " ") {
		when = "daily at " + words
	}
	if _, err := recurrence.Parse(when, at.In(timezone.ForUser(user))); err != nil && len(k.modes) > 0 {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textRoutineWords, printable.DropControls(words),
			strings.Join(slices.Sorted(maps.Keys(k.modes)), ", "))
	}
	words = when
	if !k.startsAfresh || j.State == supervisor.JobActive {
		return r.turnOn(ctx, user, c, name, words, mode, at)
	}
	j.Name = name // a new routine has no name yet
	return r.turnOnAfresh(ctx, user, c, j, words, at)
}

// turnOnAfresh turns a routine on, deletes its last state, and runs it at once.
func (r *Routines) turnOnAfresh(
	ctx context.Context, user supervisor.User, c supervisor.Conversation, j supervisor.Job, words string, at time.Time,
) (d supervisor.Delivery, err error) {
	if err := r.o.Store.ForgetCheckState(ctx, j.ID); err != nil {
		return d, err
	}
	if d, err = r.turnOn(ctx, user, c, j.Name, words, nil, at); err != nil {
		return d, err
	}
	if j, _, err = r.findRoutine(ctx, user.Name, j.Name); err == nil {
		_, err = r.o.Jobs().RunNow(ctx, j, at)
	}
	return d, err
}

// switchMode changes the mode of a routine and keeps its times. If the routine was off, switchMode
// turns it on.
func (r *Routines) switchMode(
	ctx context.Context, j supervisor.Job, m mode, at time.Time,
) (d supervisor.Delivery, err error) {
	m(&j.Options)
	zone, err := recurrence.JobZone(j)
	if err == nil && j.MayStartTurn() {
		err = r.o.ValidatePeriod(j, zone)
	}
	switch {
	case err != nil:
		return d, err
	case j.State == supervisor.JobActive:
		err = r.o.Jobs().Change(ctx, j)
	default:
		_, err = r.o.Jobs().Resume(ctx, j, at)
	}
	if err != nil {
		return d, err
	}
	j, found, err := r.o.Store.Find(ctx, j.User, j.ID)
	return r.routineShown(j, found), err
}

// routineShown returns the message about a routine that was turned on.
func (r *Routines) routineShown(j supervisor.Job, found bool) supervisor.Delivery {
	return supervisor.Delivery{
		Text:    r.routineText(j.Name, j, found),
		Buttons: job.Buttons(j, supervisor.JobPressPause, supervisor.JobPressDelete),
	}
}

// findRoutine returns a user's routine. found is false if the user has none, or has deleted it.
func (r *Routines) findRoutine(ctx context.Context, user, name string) (j supervisor.Job, found bool, err error) {
	list, err := r.o.Store.List(ctx, user)
	i := slices.IndexFunc(list, func(j supervisor.Job) bool {
		return j.Kind == supervisor.JobRoutine && j.Name == name
	})
	if i < 0 {
		return j, false, err
	}
	return list[i], true, err
}

// turnOn turns a routine on with the times in words. It reuses the row of a routine that was off or
// deleted.
func (r *Routines) turnOn(
	ctx context.Context, user supervisor.User, c supervisor.Conversation, name, words string, m mode, at time.Time,
) (
	d supervisor.Delivery, err error) {
	if m == nil {
		m = func(*supervisor.JobOptions) {}
	}
	j := supervisor.Job{
		User:         user.Name,
		Kind:         supervisor.JobRoutine,
		Name:         name,
		Text:         r.kinds[name].description,
		Zone:         user.Timezone,
		Conversation: c,
		MadeBy:       "routine/" + name,
	}
	m(&j.Options)
	if err := r.o.SetRule(&j, words, at); err != nil {
		return d, err
	}
	kept, err := r.o.Jobs().Add(ctx, j, nil)
	if err != nil {
		return d, err
	}
	j.Options, j.Options.Deleted = kept.Options, false
	m(&j.Options)
	if err := r.o.SetRule(&j, words, at); err != nil { // the routine's options may not allow these times
		return d, err
	}
	if kept.State != supervisor.JobActive || kept.Rule != j.Rule || kept.Zone != j.Zone ||
		kept.Options.ByModel != j.Options.ByModel {
		if kept.State != supervisor.JobActive {
			kept.Conversation = c
		}
		kept.Options = j.Options
		kept.State, kept.Name, kept.Text, kept.Rule, kept.Zone, kept.FiredUntil, kept.Next, kept.FireCount,
			kept.FailuresInARow =
			supervisor.JobActive, name, j.Text, j.Rule, j.Zone, j.FiredUntil, j.Next, 0, 0
		if err := r.o.Jobs().Change(ctx, kept); err != nil {
			return d, err
		}
	}
	return r.routineShown(kept, true), nil
}

// routineText says whether a routine is on, when it is due, where it posts and what it may cost.
func (r *Routines) routineText(name string, j supervisor.Job, found bool) string {
	if !found || j.State != supervisor.JobActive {
		return fmt.Sprintf(textRoutineOff, job.RoutineTitles[name]) + "\n\n" + r.kinds[name].description
	}
	text := fmt.Sprintf(textRoutineOn, job.RoutineTitles[name], r.o.DescribeTimes(j))
	if j.Options.ByModel {
		text += textRoutineWritten
	}
	for _, more := range r.o.Jobs().DescribeOptions(j) {
		text += " " + more
	}
	return text + "\n\n" + r.kinds[name].description
}

// state decodes the state that a routine's last run stored.
func state[T any](c supervisor.CheckFire) (was T, err error) {
	if c.Seen == "" {
		return was, nil
	}
	if err := json.Unmarshal([]byte(c.Seen), &was); err != nil {
		return was, fmt.Errorf("read what routine %s has seen: %w", c.Job.Name, err)
	}
	return was, nil
}
