package telegramtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MenuCommand is a command in the bot's menu.
type MenuCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// maxCommands is the most commands of a menu.
const maxCommands = 100

// menuKey identifies a menu.
type menuKey struct{ scope, language string }

type menus map[menuKey][]MenuCommand

// Menu returns the menu set by setMyCommands; nil if there is none. scope is "" or "default",
// "all_private_chats" ..., "chat:<id>", "chat_administrators:<id>" or "chat_member:<id>:<user>".
func (r Inspector) Menu(scope, language string) []MenuCommand {
	return readValue(r.state, func() []MenuCommand {
		return slices.Clone(r.state.menus[menuKey{cmp.Or(scope, "default"),
			language}])
	})
}

var plainScopes = strings.Fields("default all_private_chats all_group_chats all_chat_administrators")

// menuOf returns the key of the menu that a request names.
func menuOf(w *serverState, p params) (menuKey, answer) {
	var scope struct {
		Type string `json:"type"`
		Chat int64  `json:"chat_id"`
		User int64  `json:"user_id"`
	}
	if err := p.decode("scope", &scope); err != nil {
		return menuKey{}, badRequest("can't parse BotCommandScope: %v", err)
	}
	key := menuKey{cmp.Or(scope.Type, "default"), p.text("language_code")}
	if l := key.language; l != "" && (len(l) != 2 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz") != "") {
		return key, badRequest("invalid language code specified")
	}
	switch {
	case slices.Contains(plainScopes, key.scope):
		return key, answer{}
	case key.scope == "chat" || key.scope == "chat_administrators" || key.scope == "chat_member":
		if _, a := w.chats.find(scope.Chat); a.code != 0 {
			return key, a
		}
		key.scope = fmt.Sprint(key.scope, ":", scope.Chat)
		if scope.Type == "chat_member" {
			key.scope = fmt.Sprint(key.scope, ":", scope.User)
		}
		return key, answer{}
	}
	return key, badRequest("can't parse BotCommandScope: Unsupported type specified")
}

func setMyCommands(w *serverState, r *request) answer {
	key, a := menuOf(w, r.params)
	if a.code != 0 {
		return a
	}
	var menu []MenuCommand
	if err := r.params.decode("commands", &menu); err != nil {
		return badRequest("can't parse commands: %v", err)
	}
	if len(menu) > maxCommands {
		return badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	for i := range menu {
		menu[i].Command = strings.TrimPrefix(menu[i].Command, "/")
		if a := menu[i].check(); a.code != 0 {
			return a
		}
	}
	w.menus[key] = menu
	return good(true)
}

// check refuses an invalid command. Its name has 1 to 32 of a-z, 0-9 and _, its description 1 to
// 256 characters.
func (c MenuCommand) check() answer {
	switch n := len([]rune(c.Description)); {
	case c.Command == "" || len(c.Command) > 32 || strings.Trim(c.Command, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
		return badRequest("BOT_COMMAND_INVALID")
	case n == 0 || n > 256:
		return badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
	}
	return answer{}
}

func getMyCommands(w *serverState, r *request) answer {
	key, a := menuOf(w, r.params)
	if a.code != 0 {
		return a
	}
	if menu := w.menus[key]; menu != nil {
		return good(menu)
	}
	return good([]MenuCommand{})
}

func deleteMyCommands(w *serverState, r *request) answer {
	key, a := menuOf(w, r.params)
	if a.code != 0 {
		return a
	}
	delete(w.menus, key)
	return good(true)
}
