package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

const (
	activityPrefix = "a:"
	activityPage   = 20 // maximum number of effects on a page of /activity
)

var activityRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "activity",
		Help: "what was done for you today; /activity 7d or /activity 2026-11-20 shows another time, " +
			"/activity 7d sent one kind"},
		group: feature.HelpGroupPrivacy, run: activity, private: feature.AlwaysPrivateAnswer, prefix: activityPrefix,
		press: olderActivity},
}

// activity lists the user's effects. For an admin it can count the effects of all users.
func activity(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	rest, all := cutName(r.Arguments, "all")
	if all {
		r.Arguments = rest
	}
	q, err := effect.ParseQuery(r.Arguments, c.o.Now().In(c.zone(r.Conversation.User)))
	switch {
	case all && !c.isAdmin(r.Conversation.User):
		return d, supervisor.Errorf(supervisor.CodeForbidden, textActivityAdminsOnly)
	case err != nil:
		return d, err
	case !all:
		return c.listActivity(ctx, r.Conversation.User, q)
	}
	counts, err := c.o.Effects.Count(ctx, q.From, q.To)
	d.Text = fmt.Sprintf(textAllActivity, q.From.Format(time.DateOnly))
	for _, n := range effect.SumByGroup(counts) {
		if q.Kinds == nil || n.Group == effectGroupOf(q.Kinds) {
			d.Text += fmt.Sprintf(textActivityCount, markdown.EscapeName(n.User), n.Group, n.Count)
		}
	}
	return d, err
}

// effectGroupOf returns the group of effects whose kinds a query selects.
func effectGroupOf(kinds []string) string {
	k, _ := effect.FindKind(kinds[0])
	return k.Group
}

// olderActivity lists the next page. The press contains the beginning of that page and the query.
func olderActivity(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	var before, from, to int64
	var group string
	if n, _ := fmt.Sscan(r.Arguments, &before, &from, &to, &group); n < 3 {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	q := supervisor.EffectQuery{From: time.Unix(from, 0), Before: before, Kinds: effect.GroupKinds(group)}
	if to > 0 {
		q.To = time.Unix(to, 0)
	}
	return c.listActivity(ctx, r.Conversation.User, q)
}

// listActivity lists a page of a user's effects.
func (c *Commands) listActivity(ctx context.Context, user string, q supervisor.EffectQuery) (d supervisor.Delivery, err error) {
	q.User, q.Limit = user, activityPage+1
	list, err := c.o.Effects.List(ctx, q)
	if err != nil {
		return d, fmt.Errorf("list what was done: %w", err)
	}
	if len(list) > activityPage {
		list = list[:activityPage]
		to, group := int64(0), ""
		if !q.To.IsZero() {
			to = q.To.Unix()
		}
		if q.Kinds != nil {
			group = effectGroupOf(q.Kinds)
		}
		press := strings.TrimSpace(fmt.Sprint(activityPrefix, list[activityPage-1].ID, " ", q.From.Unix(), " ", to, " ", group))
		d.Buttons = [][]supervisor.Button{{{Text: textOlderButton, Press: press}}}
	}
	d.Text = effect.FormatLog(list, c.zone(user), 0, "- ", markdown.EscapeName)
	return d, nil
}
