package users

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// GroupTitles keeps the titles of group chats, as settings of the service itself.
type GroupTitles struct{ Store sqlite.Settings }

// groupTitleSetting returns the name of the setting with a group's title.
func groupTitleSetting(channel supervisor.Channel, chat string) string {
	return "group title/" + string(channel) + "/" + chat
}

// Keep stores a group's title if it has changed.
func (g GroupTitles) Keep(ctx context.Context, channel supervisor.Channel, chat, title string) error {
	name := groupTitleSetting(channel, chat)
	kept, _, err := g.Store.Find(ctx, "", name)
	if err == nil && title != "" && kept != title {
		err = g.Store.Put(ctx, "", name, title)
	}
	return err
}

// Find returns the title of a conversation's group; "" means unknown.
func (g GroupTitles) Find(c supervisor.Conversation) string {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	title, _, err := g.Store.Find(ctx, "", groupTitleSetting(c.Channel, c.Chat))
	if err != nil {
		return ""
	}
	return title
}
