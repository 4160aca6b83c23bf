package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
	"mews/supervisor/recurrence"
)

// pressZone names the button that moves all jobs to a time zone; the zone's name follows.
const pressZone = "zone"

// inOtherZones returns a user's jobs with a time zone other than zone.
func (js *Jobs) inOtherZones(ctx context.Context, user, zone string) ([]supervisor.Job, error) {
	list, err := js.store.List(ctx, user)
	return slices.DeleteFunc(list, func(j supervisor.Job) bool { return j.Zone == zone }), err
}

// keepsWallTime reports whether a job's times change with its zone. Times such as "every 2 h" and
// "in 20 min" do not change.
func keepsWallTime(j supervisor.Job) bool {
	rule, err := recurrence.JobRule(j)
	return err == nil && rule.IsWallTime()
}

// OfferTimezoneMove offers to move jobs to the user's new time zone. It returns an empty delivery
// if no job's times would change.
func (ch *ChatCommands) OfferTimezoneMove(ctx context.Context, user supervisor.User) (d supervisor.Delivery,
	err error) {
	list, err := ch.inOtherZones(ctx, user.Name, user.Timezone)
	list = slices.DeleteFunc(list, func(j supervisor.Job) bool { return !keepsWallTime(j) })
	if err != nil || len(list) == 0 {
		return d, err
	}
	d.Text = fmt.Sprintf(textZones, amount.Plural(len(list), "reminder or task keeps its times", "reminders and tasks keep their times"))
	if press := fmt.Sprintf("%s%s %s", supervisor.JobPressPrefix, pressZone, user.Timezone); len(press) <= maxPress {
		text := textMoveOne
		if len(list) > 1 {
			text = fmt.Sprintf(textMoveAlong, len(list))
		}
		d.Buttons = [][]supervisor.Button{{{Text: text, Press: press}}}
	}
	return d, nil
}

// maxPress is the most bytes of a button's press (Bot API, callback_data).
const maxPress = 64

// moveZone moves a user's jobs to their new time zone. It says how many jobs have other times now.
func (js *Jobs) moveZone(ctx context.Context, user supervisor.User) (string, error) {
	list, err := js.inOtherZones(ctx, user.Name, user.Timezone)
	moved := 0
	for _, j := range list {
		j.Zone = user.Timezone
		switch ok, err := js.renewZone(ctx, j); {
		case err != nil:
			return "", err
		case ok && keepsWallTime(j):
			moved++
		}
	}
	if err != nil {
		return "", err
	}
	signals.SendToken(js.woken)
	return fmt.Sprintf(textMoved, amount.Plural(moved, "reminder or task", "reminders and tasks")), nil
}

// renewZone stores a job with its new zone and next time. If the job's last time has passed in the
// new zone, the job keeps its old zone. An unreadable rule is reported when the job is due.
func (js *Jobs) renewZone(ctx context.Context, j supervisor.Job) (ok bool, err error) {
	if j.State == supervisor.JobActive {
		now := js.now()
		after := firedUntil(j, now)
		if now.After(after) {
			after = now
		}
		next, found, err := recurrence.NextDue(j, after)
		if err == nil && !found {
			return false, nil
		}
		if err == nil {
			j.FiredUntil, j.Next = after, next
		}
	}
	if err = js.store.Change(ctx, j); errors.Is(err, supervisor.ErrJobChanged) {
		return false, nil // the next offer includes the job again
	}
	return err == nil, err
}
