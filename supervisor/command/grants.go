package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

const (
	grantPrefix     = "g:"
	maxGrants       = 20 // maximum number of grants in the list of /grants
	maxGrantButtons = 8
	maxGrantText    = 200 // maximum length of a grant's text, in characters
)

var grantsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "grants", Help: "what you always allow; /grants revoke NUMBER takes " +
		"one back"},
		group: feature.HelpGroupPrivacy, run: grants, prefix: grantPrefix, press: textAnswer(pressGrant)},
}

// grants lists the user's grants, or revokes one grant. The other grants keep their numbers.
func grants(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	word, number, _ := strings.Cut(r.Arguments, " ")
	switch {
	case strings.EqualFold(word, "revoke"):
		d.Text, err = revoke(ctx, c, r.Conversation.User, strings.TrimSpace(number))
		return d, err
	case word != "":
		return d, supervisor.Errorf(supervisor.CodeInvalid, textGrantsUsage, markdown.EscapeName(r.Arguments))
	}
	list, err := c.o.Grants.List(ctx, r.Conversation.User)
	if err != nil {
		return d, fmt.Errorf("list what is allowed always: %w", err)
	}
	if r.Conversation.IsInGroup() && len(list) > 0 {
		return d, supervisor.Errorf(supervisor.CodeForbidden, textGrantsInGroup)
	}
	return grantList(list, c.zone(r.Conversation.User)), nil
}

func grantList(list []supervisor.Grant, zone *time.Location) (d supervisor.Delivery) {
	if len(list) == 0 {
		return supervisor.Delivery{Text: textNoGrants}
	}
	var b strings.Builder
	b.WriteString(textGrants)
	more := max(0, len(list)-maxGrants)
	for i, g := range list[:len(list)-more] {
		fmt.Fprintf(&b, textGrant, g.ID, g.CreatedAt.In(zone).Format("2 January 2006"), oneLine(g.Text))
		if i < maxGrantButtons {
			d.Buttons = append(d.Buttons, []supervisor.Button{{Text: fmt.Sprintf(textRevokeButton, g.ID),
				Press: grantPrefix + strconv.FormatInt(g.ID, 10)}})
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, textMoreGrants, more)
	}
	b.WriteString(textGrantsEnd)
	d.Text = b.String()
	return d
}

// oneLine returns a text on one line, cut if it is too long.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxGrantText {
		return string(runes[:maxGrantText]) + "…"
	}
	return string(runes)
}

func revoke(ctx context.Context, c *Commands, user, number string) (string, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(number, "#"), 10, 64)
	if err != nil || id <= 0 {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textNoGrantNumber, markdown.EscapeName(number))
	}
	if err := c.o.Grants.Revoke(ctx, user, id); err != nil {
		return "", err
	}
	return fmt.Sprintf(textRevoked, id), nil
}

func pressGrant(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	return revoke(ctx, c, r.Conversation.User, r.Arguments)
}
