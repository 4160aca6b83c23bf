package telegram

import (
	"encoding/json"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

const (
	maxPress = 64  // maximum bytes of a button's data (Bot API, callback_data)
	maxQuery = 128 // maximum bytes of a query's id; Telegram's ids are numbers of some 20 digits
)

// press reads the press of a button. The message with the button must be there and be the bot's
// own, because only the bot's messages have our buttons. The data may be any text, because a
// modified client can send any text.
func (r *updateReader) press(raw json.RawMessage) {
	var q fields
	if json.Unmarshal(raw, &q) != nil {
		return
	}
	m, data, id := field[fields](q, "message"), field[string](q, "data"), field[string](q, "id")
	_, game := q["game_short_name"]
	if game || !printed(data, maxPress) || !printed(id, maxQuery) || !r.envelope(m) ||
		field[gotgbot.User](m, "from").Id != r.self.ID || !r.person(q) {
		return
	}
	r.in.Kind, r.in.Text, r.in.Query, r.in.Addressed = supervisor.IncomingPress, data, id, true
}

// printed reports whether a text is printable ASCII, of 1 to most bytes.
func printed(text string, most int) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && len(text) <= most
}
