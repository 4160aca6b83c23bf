package outbox

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
)

const (
	// maxCaption is how long a file's caption may be, in UTF-16 code units. (Bot API, sendDocument.)
	maxCaption = 1024

	// maxQuoted is how much of a file's name, and of what a channel says of it, a person is told, in bytes.
	maxQuoted = 300
)

// contents are what a delivery is to show: its text, with its buttons below the last part of that, and then its files. Where
// it has files alone, the last of those bears the buttons.
func (o *Options) contents(d supervisor.Delivery, apologetic bool) []supervisor.RichText {
	parts := o.parts(d.Text, false)
	if len(parts) == 0 && (len(d.Files) == 0 || !invisible(d.Text)) {
		parts = o.literally(d.Text)
	}
	if apologetic {
		parts = o.apologize(parts)
	}
	bearer := len(parts) - 1
	for _, f := range d.Files {
		parts = append(parts, supervisor.RichText{Text: caption(f), File: &f})
	}
	if bearer < 0 {
		bearer = len(parts) - 1
	}
	parts[bearer].Buttons = d.Buttons
	return parts
}

// caption is what stands below a file, with room for a mark.
func caption(f supervisor.File) string {
	if invisible(f.Caption) {
		return ""
	}
	return clip(f.Caption, maxCaption-Room)
}

// clip is the beginning of a text where it has more UTF-16 code units than most.
func clip(text string, most int) string {
	if units(text) <= most {
		return text
	}
	n := 1 // the ellipsis
	for i, r := range text {
		if n += units(string(r)); n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// replaceFile has a text take the place of a file that the channel refuses; what follows stays as it is.
func (q *chatQueue) replaceFile(ctx context.Context, f failure) error {
	set, p := f.set, f.set.posts[f.i]
	if err := q.keepUnsent(f); err != nil {
		return err
	}
	if err := q.ensureStored(ctx, set); err != nil {
		return err
	}
	q.Log.Warn("the channel refuses a file", "channel", q.Name, "chat", q.chat, "error", f.err)
	told := q.fit(supervisor.RichText{Text: unsendable(*p.Content.File, f.err)})
	told[len(told)-1].Buttons = p.Content.Buttons
	posts, err := q.Posts.Replace(ctx, set.delivery.ID, p.Part, slices.Concat(told, set.contents(f.i+1)))
	if err == nil {
		set.posts = posts
	}
	return err
}

// unsendable says which file could not be sent, and why.
func unsendable(f supervisor.File, err error) string {
	return fmt.Sprintf("(The file %s could not be sent: %s)", clip(f.Name, maxQuoted), clip(err.Error(), maxQuoted))
}
