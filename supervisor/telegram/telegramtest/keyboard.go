package telegramtest

import (
	"fmt"
	"slices"
	"time"
)

const (
	maxPress = 64  // bytes of a button's data
	maxAck   = 200 // characters of the answer to a press
	maxKeys  = 100 // buttons below one message
	// keepQueries is how long a press may wait for its answer. (Telegram gives no figure; clients
	// stop waiting sooner.)
	keepQueries = 15 * time.Minute
)

// Button is a button below a message.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// Data of buttons that are not below a message: the keyboard buttons that send a location or their
// text, and the removal of a keyboard. (Bot API: a message with such a reply_markup can't be
// edited.)
const (
	SendLocationData   = "request_location"
	SendTextData       = "send_text"
	RemoveKeyboardData = "remove_keyboard"
)

// hasInline reports whether a message has buttons below it, which can be edited.
func hasInline(rows [][]Button) bool {
	return len(rows) == 0 || !slices.Contains([]string{SendLocationData, SendTextData, RemoveKeyboardData},
		rows[0][0].Data)
}

// readKeyboard reads the buttons of a new message; nil if there are none. It refuses kinds of
// buttons that Mews does not use. Buttons may only send data or a location.
func readKeyboard(p params) ([][]Button, answer) {
	var markup struct {
		Rows   *[][]map[string]any `json:"inline_keyboard"`
		Keys   [][]keyboardKey     `json:"keyboard"`
		Remove bool                `json:"remove_keyboard"`
	}
	switch err := p.decode("reply_markup", &markup); {
	case err != nil:
		return nil, badRequest("can't parse reply keyboard markup JSON object")
	case len(markup.Keys) > 0:
		return readKeys(markup.Keys)
	case markup.Remove:
		return [][]Button{{{"", RemoveKeyboardData}}}, answer{}
	case p.text("reply_markup") != "" && markup.Rows == nil:
		return nil, badRequest("object expected as reply markup")
	case markup.Rows == nil:
		return nil, answer{}
	}
	var rows [][]Button
	n := 0
	for _, given := range *markup.Rows {
		var row []Button
		for _, fields := range given {
			b, a := readButton(fields)
			if a.code != 0 {
				return nil, a
			}
			row = append(row, b)
		}
		if n += len(row); n > maxKeys {
			return nil, badRequest("REPLY_MARKUP_TOO_LONG")
		}
		if row != nil { // a row without buttons is ignored
			rows = append(rows, row)
		}
	}
	return rows, answer{}
}

// keyboardKey is a button of a keyboard.
type keyboardKey struct {
	Text     string `json:"text"`
	Location bool   `json:"request_location"`
}

// readKeys reads the buttons of a keyboard. Each row must have a button.
func readKeys(keys [][]keyboardKey) (rows [][]Button, a answer) {
	for _, row := range keys {
		var shown []Button
		for _, key := range row {
			data := SendTextData
			if key.Location {
				data = SendLocationData
			}
			shown = append(shown, Button{key.Text, data})
		}
		if len(shown) == 0 || slices.ContainsFunc(shown, func(b Button) bool { return b.Text == "" }) {
			return nil, badRequest("can't parse reply keyboard markup JSON object")
		}
		rows = append(rows, shown)
	}
	return rows, answer{}
}

func readButton(fields map[string]any) (Button, answer) {
	text, isText := fields["text"].(string)
	data, isData := fields["callback_data"].(string)
	switch {
	case fields["text"] == nil:
		return Button{}, badRequest("can't parse inline keyboard button: Can't find field \"text\"")
	case !isText:
		return Button{}, badRequest("can't parse inline keyboard button: Field \"text\" must be of type String")
	case text == "":
		return Button{}, badRequest("REPLY_MARKUP_INVALID")
	case !isData || data == "":
		return Button{}, badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case len(data) > maxPress:
		return Button{}, badRequest("BUTTON_DATA_INVALID")
	}
	return Button{text, data}, answer{}
}

// PressButton presses a button below a message. It returns the ids of the update and of the
// callback query. It fails if no button has the data. To forge a press, a test pushes an update
// instead.
func (p People) PressButton(in Chat, from User, message int64, data string) (update int64, query string, err error) {
	p.state.change(func() {
		c := p.state.chats.add(in)
		m := c.message(message)
		if m == nil || !slices.ContainsFunc(m.Keyboard, func(row []Button) bool {
			return slices.ContainsFunc(row, func(b Button) bool { return b.Data == data })
		}) {
			err = fmt.Errorf("press %q below message %d of chat %d: there is no such button", data, message, in.ID)
			return
		}
		query = fmt.Sprint(from.ID<<16 + p.state.queue.nextID)
		p.state.chats.addQuery(query, p.state.now())
		update = p.state.enqueue("callback_query", from.ID, mustMarshal(map[string]any{
			"id": query, "from": from.json(), "data": data, "chat_instance": fmt.Sprint(in.ID), "message": c.json(m, false),
		}), p.state.now().Add(keepUpdates))
	})
	return update, query, err
}

// PressAck is the bot's answer to a press.
type PressAck struct {
	Query string
	Text  string // the text that the person sees; "" shows nothing
	Alert bool   // whether the text stays until the person closes it
}

// PressAcks are the bot's answers to presses, in order.
func (r Inspector) PressAcks() []PressAck {
	return readValue(r.state, func() []PressAck { return slices.Clone(r.state.log.acks) })
}

func answerCallbackQuery(w *serverState, r *request) answer {
	ack := PressAck{r.params.text("callback_query_id"), r.params.text("text"), r.params.isTrue("show_alert")}
	if utf16Length(ack.Text) > maxAck {
		return badRequest("MESSAGE_TOO_LONG")
	}
	if !w.chats.closeQuery(ack.Query, w.now()) {
		return badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	w.log.acks = append(w.log.acks, ack)
	return good(true)
}

// addQuery stores a callback query that waits for its answer.
func (cs *chats) addQuery(query string, now time.Time) {
	if cs.openQueries == nil {
		cs.openQueries = map[string]time.Time{}
	}
	cs.openQueries[query] = now
}

// closeQuery removes a callback query, and reports whether it was still waiting.
func (cs *chats) closeQuery(query string, now time.Time) bool {
	asked, waiting := cs.openQueries[query]
	delete(cs.openQueries, query)
	return waiting && now.Sub(asked) < keepQueries
}
