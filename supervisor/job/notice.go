package job

import (
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/internal/quiet"
	"mews/supervisor/sqlite"
)

// QuietHoursEnd returns the end of a user's current quiet hours. The argument hours is the user's
// setting, and the argument now is in the user's zone. The result inQuiet is false outside quiet
// hours.
func QuietHoursEnd(hours string, now time.Time) (end time.Time, inQuiet bool) {
	q, ok := quiet.Parse(hours)
	if !ok {
		return end, false
	}
	return q.CurrentEnd(now, now.Location())
}

// IsHeldInQuietHours reports whether a notice is held in its user's quiet hours. Urgent notices and
// notices with files are not held. Notices in groups are not held, because other people read them.
func IsHeldInQuietHours(d supervisor.Delivery) bool {
	return !d.Urgent && !d.Conversation.IsInGroup() && len(d.Files) == 0
}

// Maximum lengths, in bytes, of held notices in one message: of each notice, and of all notices
// together.
const (
	maxOfHeld = 2 << 10
	maxHeld   = 8 << 10
)

// CombineNotices returns one message for all notices that were held for a conversation. A single
// notice keeps its buttons. Several notices lose their buttons, because a user could not tell which
// notice a button belongs to. The message is silent if all notices are silent.
func CombineNotices(list []sqlite.HeldNotice) supervisor.Delivery {
	d := supervisor.Delivery{Silent: true}
	texts := make([]string, len(list))
	for i, h := range list {
		if texts[i] = h.Text; len(list) > 1 {
			texts[i] = ShortenText(h.Text, maxOfHeld)
		}
		if h.Earlier > 0 {
			texts[i] += fmt.Sprintf(textEarlier, amount.Plural(h.Earlier, "earlier one", "earlier ones"))
		}
		d.Silent, d.Effects = d.Silent && h.Silent, append(d.Effects, h.Effects...)
	}
	d.Text, d.Effects = texts[0], effect.LimitLines(d.Effects)
	if len(list) == 1 {
		d.Buttons = list[0].Buttons
	} else {
		d.Text = ShortenText(strings.Join(texts, "\n\n"), maxHeld)
	}
	return d
}

// ShortenText cuts a text to about most bytes, and says how much is left out. It cuts at the end of
// a line if it can, and closes a code block that it cuts.
func ShortenText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.ToValidUTF8(text[:most], "")
	if line := strings.LastIndexByte(cut, '\n'); line > most/2 {
		cut = cut[:line]
	}
	left := len(text) - len(cut)
	if strings.Count("\n"+cut, "\n```")%2 == 1 {
		cut += "\n```"
	}
	return cut + "\n\n" + fmt.Sprintf(textLeftOut, amount.FormatBytes(int64(left)))
}
