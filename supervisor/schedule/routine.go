package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/printable"
	"mews/supervisor/schedule/policy"
	"mews/supervisor/schedule/recurrence"
)

// InForce takes what was seen of a person's prompt file, and gives the text of it that is in force.
type InForce func(ctx context.Context, user string, seen protocol.PromptFile) (text []byte, err error)

// routine is what is built in, and off until its person turns it on.
type routine struct {
	usual string // when it comes, as recurrence.Parse reads it, where its person does not say
	fixed bool   // nobody else may say when

	// it knows nothing of the time while it was off, and looks at once when it is turned on
	afresh bool
	look   func(*Schedule, context.Context, look) (supervisor.Looked, error)
	modes  map[string]mode // by the word for it
}

// mode has a routine go about it in another way.
type mode func(*supervisor.JobOptions)

// modeIn is the mode that the first of some words stands for, and the words behind it; nil and all
// of them where it stands for none.
func (r routine) modeIn(words string) (m mode, rest string) {
	first, rest, _ := strings.Cut(words, " ")
	if m = r.modes[first]; m == nil {
		return nil, words
	}
	return m, strings.TrimSpace(rest)
}

// routines are all of them, by name. (A variable would refer to itself, through what they do.)
func routines() map[string]routine {
	return map[string]routine{
		supervisor.RoutineHeartbeat: {usual: usualHeartbeat, fixed: true, look: (*Schedule).heartbeat},
		supervisor.RoutineDigest: {usual: usualDigest, look: (*Schedule).digest, modes: map[string]mode{
			wordWritten: func(o *supervisor.JobOptions) { o.Written = true },
			wordPlain:   func(o *supervisor.JobOptions) { o.Written = false },
		}},
		supervisor.RoutineFiles: {usual: usualFiles, fixed: true, afresh: true, look: (*Schedule).files},
	}
}

func (s *Schedule) routine(ctx context.Context, l look) (supervisor.Looked, error) {
	r, known := routines()[l.Job.Name]
	if !known {
		return supervisor.Looked{}, supervisor.Errorf(supervisor.CodeInvalid, textNoRoutine, l.Job.Name, strings.Join(Routines(), ", "))
	}
	return r.look(s, ctx, l)
}

// The words that turn a routine on and off.
const (
	wordOn  = "on"
	wordOff = "off"
)

// Routine turns a person's routine on or off, or says whether it is on. words are on, off, or when
// it is to come, behind the word for a mode where that is to be another.
func (s *Schedule) Routine(ctx context.Context, user supervisor.User, c supervisor.Conversation, name, words string, at time.Time) (d supervisor.Delivery, err error) {
	r, known := routines()[name]
	if !known {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textNoRoutine, name, strings.Join(Routines(), ", "))
	}
	j, found, err := s.findRoutine(ctx, user.Name, name)
	mode, words := r.modeIn(strings.ToLower(strings.TrimSpace(words)))
	switch {
	case err != nil:
		return d, err
	case words == "" && mode == nil:
		return supervisor.Delivery{Text: s.routineText(name, j, found)}, nil
	case words == wordOff && !found:
		return supervisor.Delivery{Text: fmt.Sprintf(textRoutineOff, policy.RoutineTitles[name])}, nil
	case words == wordOff:
		_, err := s.pause(ctx, j)
		return supervisor.Delivery{Text: fmt.Sprintf(textRoutineOff, policy.RoutineTitles[name])}, err
	case words == wordOn || words == "" && !found:
		words = r.usual
	case words == "":
		return s.switchMode(ctx, j, mode, at)
	case r.fixed:
		return d, supervisor.Errorf(supervisor.CodeInvalid, textRoutineSwitch, policy.RoutineTitles[name])
	}
	when := words
	if !strings.ContainsAny(words, " ") {
		when = "daily at " + words
	}
	if _, err := recurrence.Parse(when, at.In(timezone.Of(user))); err != nil && len(r.modes) > 0 {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textRoutineWords, printable.Text(words), strings.Join(slices.Sorted(maps.Keys(r.modes)), ", "))
	}
	words = when
	if !r.afresh || j.State == supervisor.JobActive {
		return s.turnOn(ctx, user, c, name, words, mode, at)
	}
	j.Name = name // where there was none
	return s.turnOnAfresh(ctx, user, c, j, words, at)
}

// turnOnAfresh has a routine come that knows nothing of the time while it was off, and looks at
// once.
func (s *Schedule) turnOnAfresh(ctx context.Context, user supervisor.User, c supervisor.Conversation, j supervisor.Job, words string, at time.Time) (d supervisor.Delivery, err error) {
	if err := s.o.Looks.ForgetSeen(ctx, j.ID); err != nil {
		return d, err
	}
	if d, err = s.turnOn(ctx, user, c, j.Name, words, nil, at); err != nil {
		return d, err
	}
	if j, _, err = s.findRoutine(ctx, user.Name, j.Name); err == nil {
		_, err = s.run(ctx, j, at)
	}
	return d, err
}

// switchMode has a routine go on in another mode, at its times. One that was off goes on too.
func (s *Schedule) switchMode(ctx context.Context, j supervisor.Job, m mode, at time.Time) (d supervisor.Delivery, err error) {
	m(&j.Options)
	zone, err := recurrence.ZoneOf(j)
	if err == nil && j.AsksModel() {
		err = checkPeriod(j, zone)
	}
	switch {
	case err != nil:
		return d, err
	case j.State == supervisor.JobActive:
		err = s.change(ctx, j)
	default:
		_, err = s.resume(ctx, j, at)
	}
	if err != nil {
		return d, err
	}
	j, found, err := s.o.Store.Find(ctx, j.User, j.ID)
	return s.routineShown(j, found), err
}

// routineShown shows a routine that was turned on.
func (s *Schedule) routineShown(j supervisor.Job, found bool) supervisor.Delivery {
	return supervisor.Delivery{Text: s.routineText(j.Name, j, found), Buttons: policy.Buttons(j, supervisor.JobPause, supervisor.JobDelete)}
}

// findRoutine is a person's routine, where it was not deleted.
func (s *Schedule) findRoutine(ctx context.Context, user, name string) (j supervisor.Job, found bool, err error) {
	list, err := s.o.Store.List(ctx, user)
	i := slices.IndexFunc(list, func(j supervisor.Job) bool { return j.Kind == supervisor.JobRoutine && j.Name == name })
	if i < 0 {
		return j, false, err
	}
	return list[i], true, err
}

// turnOn has a routine come as words say. The row of one that was off, or deleted, is taken up
// again.
func (s *Schedule) turnOn(ctx context.Context, user supervisor.User, c supervisor.Conversation, name, words string, m mode, at time.Time) (
	d supervisor.Delivery, err error) {
	if m == nil {
		m = func(*supervisor.JobOptions) {}
	}
	j := supervisor.Job{User: user.Name, Kind: supervisor.JobRoutine, Name: name, Text: routineWhat[name], Zone: user.Timezone, Conversation: c, MadeBy: "routine/" + name}
	m(&j.Options)
	if err := setRule(&j, words, at); err != nil {
		return d, err
	}
	kept, err := s.put(ctx, j, nil)
	if err != nil {
		return d, err
	}
	j.Options, j.Options.Deleted = kept.Options, false
	m(&j.Options)
	if err := setRule(&j, words, at); err != nil { // with those options it may not come as often
		return d, err
	}
	if kept.State != supervisor.JobActive || kept.Rule != j.Rule || kept.Zone != j.Zone || kept.Options.Written != j.Options.Written {
		if kept.State != supervisor.JobActive {
			kept.Conversation = c
		}
		kept.Options = j.Options
		kept.State, kept.Name, kept.Text, kept.Rule, kept.Zone, kept.Since, kept.Next, kept.Fired, kept.Failures =
			supervisor.JobActive, name, j.Text, j.Rule, j.Zone, j.Since, j.Next, 0, 0
		if err := s.change(ctx, kept); err != nil {
			return d, err
		}
	}
	return s.routineShown(kept, true), nil
}

// routineText says whether a routine is on, when it comes, where it speaks and what it may cost.
func (s *Schedule) routineText(name string, j supervisor.Job, found bool) string {
	if !found || j.State != supervisor.JobActive {
		return fmt.Sprintf(textRoutineOff, policy.RoutineTitles[name]) + "\n\n" + routineWhat[name]
	}
	text := fmt.Sprintf(textRoutineOn, policy.RoutineTitles[name], line(j))
	if j.Options.Written {
		text += textRoutineWritten
	}
	for _, more := range s.terms(j) {
		text += " " + more
	}
	return text + "\n\n" + routineWhat[name]
}

// state is what a routine has kept of its last look.
func state[T any](l look) (was T, err error) {
	if l.seen == "" {
		return was, nil
	}
	if err := json.Unmarshal([]byte(l.seen), &was); err != nil {
		return was, fmt.Errorf("read what routine %s has seen: %w", l.Job.Name, err)
	}
	return was, nil
}
