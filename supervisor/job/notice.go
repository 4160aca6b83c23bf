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

// Quiet is when the quiet hours of a person end, as they have set them, in which they are at a time
// in their time zone; not inQuiet: they are in none.
func Quiet(hours string, now time.Time) (end time.Time, inQuiet bool) {
	q, ok := quiet.Parse(hours)
	if !ok {
		return end, false
	}
	return q.Until(now, now.Location())
}

// Holds says whether a notice is held in its person's quiet hours. What is urgent is not, nor what
// comes with files; in groups others read, and nothing is held there.
func Holds(d supervisor.Delivery) bool {
	return !d.Urgent && !d.Conversation.InGroup() && len(d.Files) == 0
}

// How much is said of what was held, in bytes: of one thing among others, and of all.
const (
	mostOfHeld = 2 << 10
	mostHeld   = 8 << 10
)

// Together is what is said of notices that were held for one conversation. Buttons are below one
// thing alone: below several nobody knew which they are of. It is silent if all of it is.
func Together(list []sqlite.HeldNotice) supervisor.Delivery {
	d := supervisor.Delivery{Silent: true}
	texts := make([]string, len(list))
	for i, h := range list {
		if texts[i] = h.Text; len(list) > 1 {
			texts[i] = Cut(h.Text, mostOfHeld)
		}
		if h.Earlier > 0 {
			texts[i] += fmt.Sprintf(textEarlier, amount.Plural(h.Earlier, "earlier one", "earlier ones"))
		}
		d.Silent, d.Effects = d.Silent && h.Silent, append(d.Effects, h.Effects...)
	}
	d.Text, d.Effects = texts[0], effect.Bound(d.Effects)
	if len(list) == 1 {
		d.Buttons = list[0].Buttons
	} else {
		d.Text = Cut(strings.Join(texts, "\n\n"), mostHeld)
	}
	return d
}

// Cut is as much of a text as fits into about so many bytes, by whole lines where it has some, and
// how much is left out. Code that is cut ends there.
func Cut(text string, most int) string {
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
	return cut + "\n\n" + fmt.Sprintf(textLeftOut, amount.Bytes(int64(left)))
}
