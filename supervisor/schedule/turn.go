package schedule

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/job"
)

const (
	// if a turn is late by more than this, or by half the period of its job, it is missed
	turnGrace       = 6 * time.Hour
	catchUpInterval = 30 * time.Second // the pause between late turns of a user
	maxCatchUp      = 10               // maximum of late turns of a user at a time; further late turns are missed
	// the longest delay of a turn, so that turns with the same time do not begin together
	maxJitter      = 30 * time.Second
	jitterPart     = 20   // the delay is at most 1/20 of the job's period
	maxEarlier     = 5    // maximum number of earlier results in a prompt
	maxEarlierText = 1000 // maximum characters of an earlier result
)

// claimBatch returns the batch of a due job with a turn or a check. A user's late turns begin one
// after the other.
func (s *Schedule) claimBatch(f supervisor.Fire, now time.Time, caught map[string]int) supervisor.FireBatch {
	f.State, f.BeginAt = supervisor.FireClaimed, f.LastDue.Add(jitter(f))
	if now.Sub(f.LastDue) >= lateAfter {
		f.BeginAt = now.Add(time.Duration(caught[f.Job.User]) * catchUpInterval)
		caught[f.Job.User]++
	}
	return s.newBatch("", nil, f)
}

// skipIfTooLate marks a fire as missed if it is too late to run it, and reports whether it did.
func (s *Schedule) skipIfTooLate(f *supervisor.Fire, now time.Time, caught map[string]int) bool {
	o := f.Job.Options
	most, bounded := grace(*f)
	is := o.Missed == supervisor.MissedRunModeSkip || o.Missed == supervisor.MissedRunModeAsk ||
		f.Job.Kind == supervisor.JobRoutine ||
		bounded && now.Sub(f.LastDue) > most || f.Job.Kind != supervisor.JobReminder && caught[f.Job.User] >= maxCatchUp
	if is {
		f.State = supervisor.FireMissed
	}
	return is
}

// grace returns how late a fire may be: the user's setting, or half the period of a turn. bounded
// is false for a reminder without that setting.
func grace(f supervisor.Fire) (most time.Duration, bounded bool) {
	switch {
	case f.Job.Options.Grace > 0:
		return f.Job.Options.Grace, true
	case f.Job.Kind == supervisor.JobReminder:
		return 0, false
	case f.NextDue.IsZero():
		return turnGrace, true
	}
	return min(f.NextDue.Sub(f.LastDue)/2, turnGrace), true
}

// jitter returns the delay of a turn. The delay is always the same for a job and a due time.
func jitter(f supervisor.Fire) time.Duration {
	if f.NextDue.IsZero() || f.Job.Options.Exact || f.Job.Kind == supervisor.JobRoutine {
		return 0
	}
	most := min(f.NextDue.Sub(f.LastDue)/jitterPart, maxJitter)
	if most <= 0 {
		return 0
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, f.Job.ID, f.Job.Next.UnixMilli())
	return time.Duration(hash.Sum64() % uint64(most))
}

// beginDue begins all claimed fires that have waited long enough.
func (s *Schedule) beginDue(ctx context.Context) error {
	var resting []string
	for {
		list, err := s.queue.ListFiresToBegin(ctx, s.now(), resting, s.running.HasFreeSlot(), maxDue)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, f := range s.turns.order(list) {
			if slices.Contains(resting, f.Job.User) {
				continue
			}
			user, known := s.person(f.Job.User)
			if !known {
				resting = append(resting, f.Job.User)
				continue
			}
			begin := s.beginFire
			if s.checks[f.Job.Kind] != nil {
				begin = s.beginCheck
			}
			if err := begin(ctx, user, f); err != nil {
				return err
			}
		}
	}
}

func (s *Schedule) beginFire(ctx context.Context, user supervisor.User, f supervisor.ClaimedFire) error {
	results, err := s.store.ListResults(ctx, f.Job.User, f.Job.ID, maxEarlier+1)
	if err != nil {
		return err
	}
	kept, begun, err := s.queue.BeginFire(ctx, f, s.newInbound(user, f, results))
	if err == nil && begun {
		s.begun(kept)
	}
	return err
}

// newInbound returns the inbound that starts a fire's turn. Its prompt has earlier results. In a
// group the prompt has only results that were sent in the same conversation.
func (s *Schedule) newInbound(user supervisor.User, f supervisor.ClaimedFire, results []supervisor.FireResult) supervisor.Inbound {
	to := s.destination(f.Job)
	if to.IsInGroup() {
		results = slices.DeleteFunc(results, func(r supervisor.FireResult) bool { return r.Conversation != to.ID })
	}
	prompt, world := jobPrompt(f, results, timezone.ForUser(user))
	in := supervisor.Inbound{
		Conversation: supervisor.Conversation{User: f.Job.User, Channel: supervisor.ChannelJob, Chat: strconv.FormatInt(f.Job.ID, 10)},
		Destination:  to, Source: fmt.Sprintf("job/%d", f.Job.ID), Key: fmt.Sprintf("%d/%d", f.Due.UnixMilli(), f.Tries),
		Kind: supervisor.KindJob, Text: prompt, Origin: supervisor.OriginOwn,
	}
	if world {
		in.Origin = supervisor.OriginWorld
	}
	return in
}

// jobPrompt returns the prompt of a job's turn. world reports whether it may contain somebody
// else's words.
func jobPrompt(f supervisor.ClaimedFire, results []supervisor.FireResult, zone *time.Location) (prompt string, world bool) {
	var earlier strings.Builder
	n := 0
	for _, r := range slices.Backward(results) {
		text := []rune(strings.TrimSpace(r.Text))
		if r.Due.Equal(f.Due) || len(text) == 0 {
			continue
		}
		if len(text) > maxEarlierText {
			text = append(text[:maxEarlierText:maxEarlierText], '…')
		}
		fmt.Fprintf(&earlier, promptEarlierLine, r.Due.In(zone).Format(dayLayout), foreign.SanitizeText(string(text)))
		world = world || r.World
		n++
	}
	words := f.Job.Text
	if f.Job.Options.World {
		words = foreign.SanitizeText(words)
	}
	prompt = fmt.Sprintf(promptJob, f.Job.ID, foreign.SanitizeName(job.Title(f.Job)), f.Due.In(zone).Format(timeLayout),
		words)
	if f.Job.Options.Workspace != "" {
		prompt += fmt.Sprintf(promptWorkspace, f.Job.Options.Workspace)
	}
	if f.Material != "" {
		prompt, world = prompt+fmt.Sprintf(promptMaterial, foreign.SanitizeText(f.Material)), true
	}
	if n > 0 {
		prompt += promptEarlier + earlier.String()
	}
	return prompt, world || f.Job.Options.World
}
