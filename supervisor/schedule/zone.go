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

// pressZone has all jobs of a person keep the time zone that stands behind it.
const pressZone = "zone"

// inOtherZones are a person's jobs that keep another time zone.
func (js *Jobs) inOtherZones(ctx context.Context, user, zone string) ([]supervisor.Job, error) {
	list, err := js.store.List(ctx, user)
	return slices.DeleteFunc(list, func(j supervisor.Job) bool { return j.Zone == zone }), err
}

// keepsWallTime says whether a job's times move along to another zone: "every 2 h" and "in 20 min" come
// when they would have.
func keepsWallTime(j supervisor.Job) bool {
	rule, err := recurrence.Of(j)
	return err == nil && rule.IsWallTime()
}

// OfferZone offers a person who has another time zone now to have their jobs keep that; without a
// text all do.
func (ch *Chat) OfferZone(ctx context.Context, user supervisor.User) (d supervisor.Delivery, err error) {
	list, err := ch.inOtherZones(ctx, user.Name, user.Timezone)
	list = slices.DeleteFunc(list, func(j supervisor.Job) bool { return !keepsWallTime(j) })
	if err != nil || len(list) == 0 {
		return d, err
	}
	d.Text = fmt.Sprintf(textZones, amount.Plural(len(list), "reminder or task keeps its times", "reminders and tasks keep their times"))
	if press := fmt.Sprintf("%s%s %s", supervisor.JobPrefix, pressZone, user.Timezone); len(press) <= maxPress {
		d.Buttons = [][]supervisor.Button{{{Text: fmt.Sprintf(textMoveAlong, len(list)), Press: press}}}
	}
	return d, nil
}

// maxPress is how many bytes a button may send. (Bot API, callback_data)
const maxPress = 64

// moveZone has a person's jobs keep the time zone that is theirs now. It tells how many come at
// other times for that.
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
	signals.Send(js.woken)
	return fmt.Sprintf(textMoved, amount.Plural(moved, "reminder or task", "reminders and tasks")), nil
}

// renewZone keeps a job whose zone has changed, and when it is due then. One whose last time has
// passed there is left as it was, and comes when it would have. What can't be read is told of when
// it is due.
func (js *Jobs) renewZone(ctx context.Context, j supervisor.Job) (ok bool, err error) {
	if j.State == supervisor.JobActive {
		now := js.now()
		after := firedUntil(j, now)
		if now.After(after) {
			after = now
		}
		next, found, err := recurrence.NextOf(j, after)
		if err == nil && !found {
			return false, nil
		}
		if err == nil {
			j.FiredUntil, j.Next = after, next
		}
	}
	if err = js.store.Change(ctx, j); errors.Is(err, supervisor.ErrJobChanged) {
		return false, nil // its person sees it in the next offer
	}
	return err == nil, err
}
