package telegram

import (
	"context"
	"fmt"
	"slices"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// MenuCommand is a line of the menu that Telegram shows for "/".
type MenuCommand struct {
	Name    string // the command's name without the slash: 1 to 32 of a-z, 0-9 and _
	Summary string // description of the command, in 1 to 256 characters
}

// formerLanguages had menus of their own in earlier versions. Telegram keeps a menu until it is
// deleted.
var formerLanguages = []string{"de", "es", "fr"}

// SetMenu sets the bot's menu for everybody. It changes nothing if the menu is already set, so
// callers may call it at every start.
func (c *Client) SetMenu(ctx context.Context, menu []MenuCommand) error {
	// The scope is explicit, because the library sends "null" without a scope.
	all := gotgbot.BotCommandScopeDefault{}
	if err := c.setMenu(ctx, all, "", menu); err != nil {
		return fmt.Errorf("set the menu: %w", err)
	}
	for _, language := range formerLanguages {
		if err := c.setMenu(ctx, all, language, nil); err != nil {
			return fmt.Errorf("take away the menu for language %q: %w", language, err)
		}
	}
	return nil
}

// SetChatMenu sets the bot's menu in one chat, as SetMenu does. If the menu is empty, the chat
// shows everybody's menu.
func (c *Client) SetChatMenu(ctx context.Context, chat string, menu []MenuCommand) error {
	id, err := parseID("chat", chat)
	if err == nil {
		err = c.setMenu(ctx, gotgbot.BotCommandScopeChat{ChatId: id}, "", menu)
	}
	if err != nil {
		return fmt.Errorf("set the menu of chat %s: %w", chat, err)
	}
	return nil
}

func (c *Client) setMenu(ctx context.Context, scope gotgbot.BotCommandScope, language string,
	menu []MenuCommand) error {
	wanted := make([]gotgbot.BotCommand, len(menu))
	for i, m := range menu {
		wanted[i] = gotgbot.BotCommand{Command: m.Name, Description: m.Summary}
	}
	present, err := c.bot.GetMyCommandsWithContext(ctx, &gotgbot.GetMyCommandsOpts{Scope: scope, LanguageCode: language})
	if err != nil || slices.Equal(present, wanted) {
		return err
	}
	if len(wanted) == 0 {
		_, err = c.bot.DeleteMyCommandsWithContext(ctx, &gotgbot.DeleteMyCommandsOpts{Scope: scope, LanguageCode: language})
		return err
	}
	_, err = c.bot.SetMyCommandsWithContext(ctx, wanted, &gotgbot.SetMyCommandsOpts{Scope: scope, LanguageCode: language})
	return err
}
