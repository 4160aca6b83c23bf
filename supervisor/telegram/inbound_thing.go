package telegram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor/internal/titles"
)

// maxThing is the longest line about an attached thing, in characters. A checklist has 255 for its
// title and 30 tasks of 100, and a contact 2,048 bytes of vCard. (Bot API, sendChecklist, Contact.)
const maxThing = 6000

// thing is an attachment without a file that a line of text can describe.
type thing struct {
	field string
	words func(m fields) string // returns the line without brackets; "" if the field is invalid
	world bool                  // whether another person made the attachment, or is its subject
}

// things are sorted by precedence, because a venue also comes as a location.
var things = []thing{
	{"venue", venueWords, true},
	{"location", locationWords, false},
	{"contact", contactWords, true},
	{"poll", pollWords, true},
	{"checklist", checklistWords, false},
	{"dice", diceWords, false},
	{"sticker", stickerWords, true},
}

// thingIn returns the line in brackets about an attached thing; "" if there is none. world reports
// whether the thing comes from other people.
func thingIn(m fields) (words string, world bool) {
	for _, t := range things {
		if _, ok := m[t.field]; !ok {
			continue
		}
		if words := line(t.words(m), maxThing); words != "" {
			return "[" + words + "]", t.world || field[bool](field[fields](m, t.field), "others_can_add_tasks")
		}
	}
	return "", false
}

func coordinates(l fields) string {
	return fmt.Sprintf("%.5f, %.5f", field[float64](l, "latitude"), field[float64](l, "longitude"))
}

// locationWords describes a location. For a live location, it describes the start; the movement
// comes as edits.
func locationWords(m fields) string {
	l := field[fields](m, "location")
	if l == nil {
		return ""
	}
	if field[int64](l, "live_period") > 0 {
		return fmt.Sprintf(textLiveLocation, coordinates(l))
	}
	return fmt.Sprintf(textLocation, coordinates(l))
}

func venueWords(m fields) string {
	v := field[fields](m, "venue")
	where := joined(", ", field[string](v, "title"), field[string](v, "address"))
	if l := field[fields](v, "location"); where != "" && l != nil {
		return fmt.Sprintf(textVenue, where, coordinates(l))
	}
	return ""
}

func contactWords(m fields) string {
	c := field[gotgbot.Contact](m, "contact")
	who := joined(", ", joined(" ", c.FirstName, c.LastName), c.PhoneNumber)
	if card := vCardWords(c.Vcard); card != "" {
		who = joined(" ", who, fmt.Sprintf(textVCard, card))
	}
	if who == "" {
		return ""
	}
	return fmt.Sprintf(textContact, who)
}

// vCardWords returns all fields of a vCard that people read, without pictures and sounds. (RFC
// 6350)
func vCardWords(card string) string {
	unfolded := strings.NewReplacer("\n ", "", "\n\t", "").Replace(strings.ReplaceAll(card, "\r\n", "\n"))
	var kept []string
	for entry := range strings.Lines(unfolded) {
		name, _, _ := strings.Cut(strings.ToUpper(entry), ":")
		name, _, _ = strings.Cut(name, ";")
		if !slices.Contains(unreadFields, strings.TrimSpace(name)) {
			kept = append(kept, strings.TrimSpace(entry))
		}
	}
	return joined(" | ", kept...)
}

// unreadFields are the fields of a vCard that are for programs.
var unreadFields = []string{"BEGIN", "END", "VERSION", "PRODID", "PHOTO", "LOGO", "SOUND", "KEY"}

// pollWords describes a poll with the votes so far.
func pollWords(m fields) string {
	p := field[fields](m, "poll")
	var options []string
	for i, option := range field[[]fields](p, "options") {
		text := field[string](option, "text")
		if _, counted := option["voter_count"]; counted && text != "" {
			text += fmt.Sprintf(textVotes, field[int64](option, "voter_count"))
		}
		if _, known := p["correct_option_id"]; known && field[int](p, "correct_option_id") == i && text != "" {
			text += textCorrect
		}
		options = append(options, text)
	}
	if _, counted := p["total_voter_count"]; counted {
		options = append(options, fmt.Sprintf(textVoters, field[int64](p, "total_voter_count")))
	}
	if field[bool](p, "is_closed") {
		options = append(options, textClosed)
	}
	question, words := field[string](p, "question"), textPoll
	if question == "" {
		return ""
	}
	if field[string](p, "type") == "quiz" {
		words = textQuiz
	}
	return fmt.Sprintf(words, question, joined("; ", options...))
}

// checklistWords describes a checklist with its ticks.
func checklistWords(m fields) string {
	list := field[fields](m, "checklist")
	var tasks []string
	for _, task := range field[[]fields](list, "tasks") {
		text := field[string](task, "text")
		by := name(field[gotgbot.User](task, "completed_by_user"))
		switch {
		case strings.TrimSpace(text) == "":
		case by != "":
			tasks = append(tasks, fmt.Sprintf(textDoneBy, text, by))
		case field[int64](task, "completion_date") > 0:
			tasks = append(tasks, fmt.Sprintf(textDone, text))
		default:
			tasks = append(tasks, fmt.Sprintf(textToDo, text))
		}
	}
	title := field[string](list, "title")
	if title == "" && len(tasks) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintf(textChecklist, title, joined("; ", tasks...)), ": ")
}

func diceWords(m fields) string {
	d := field[gotgbot.Dice](m, "dice")
	return fmt.Sprintf(textDice, d.Emoji, d.Value)
}

// stickerWords describes a sticker by its emoji, whether or not its picture can be seen.
func stickerWords(m fields) string {
	if emoji := field[string](field[fields](m, "sticker"), "emoji"); emoji != "" {
		return fmt.Sprintf(textSticker, emoji)
	}
	return ""
}

// joined joins the texts that are not blank.
func joined(between string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), between)
}

// carried names the file of a message, or an attachment that Telegram does not give to a bot; "" if
// there is none.
func carried(m fields) string {
	if file, _ := fileIn(m); file.Kind != "" {
		return titles.AttachmentTitle(file)
	}
	for _, u := range unreadable {
		if _, ok := m[u.field]; !ok {
			continue
		}
		if title := line(field[string](field[fields](m, u.field), "title"), maxName); title != "" {
			return fmt.Sprintf(textTitled, u.name, title)
		}
		return u.name
	}
	return ""
}

// besidesWords names the attachments of a message, in brackets; "" if there are none.
func besidesWords(m fields) string {
	if words, _ := thingIn(m); words != "" {
		return words
	}
	if what := carried(m); what != "" {
		return "[" + what + "]"
	}
	return ""
}
