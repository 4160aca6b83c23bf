package shell

import (
	"fmt"
	"strings"
)

// keyCodes map the named keys to the bytes that an xterm sends for them.
var keyCodes = map[string]string{
	"enter": "\r", "return": "\r", "tab": "\t", "shift-tab": "\x1b[Z", "esc": "\x1b", "escape": "\x1b", "space": " ",
	"backspace": "\x7f", "delete": "\x1b[3~", "insert": "\x1b[2~", "pgup": "\x1b[5~", "pgdn": "\x1b[6~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// keySequence returns the bytes for named keys with spaces between them. If app is set, arrow keys
// are in application mode.
func keySequence(names string, app bool) (string, error) {
	var b strings.Builder
	for _, name := range strings.Fields(strings.ToLower(names)) {
		sent, ok := oneKey(name)
		if !ok {
			return "", fmt.Errorf("there is no key %.40q; there are enter, tab, esc, backspace, up, pgup, home, delete, f1, "+
				"ctrl-c, alt-x and their like, with spaces between them; anything else is text", name)
		}
		if arrow, ok := strings.CutPrefix(sent, "\x1b["); ok && app && len(arrow) == 1 && arrow != "Z" {
			sent = "\x1bO" + arrow
		}
		b.WriteString(sent)
	}
	return b.String(), nil
}

// oneKey returns the bytes for one key.
func oneKey(name string) (string, bool) {
	if sent, ok := keyCodes[name]; ok {
		return sent, true
	}
	if key, ok := strings.CutPrefix(name, "alt-"); ok {
		if len(key) == 1 {
			return "\x1b" + key, true
		}
		sent, ok := oneKey(key)
		return "\x1b" + sent, ok
	}
	key, ok := strings.CutPrefix(strings.Replace(name, "^", "ctrl-", 1), "ctrl-")
	switch {
	case !ok:
		return "", false
	case key == "space":
		return "\x00", true
	case len(key) == 1 && (key[0] >= 'a' && key[0] <= 'z' || strings.ContainsAny(key, `[\]^_`)):
		return string(key[0] & 0x1f), true
	}
	return "", false
}
