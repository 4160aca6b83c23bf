package telegram

import (
	"context"
	"errors"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

const (
	// ackTimeout limits the answer to a press. A later answer comes too late to be noticed.
	ackTimeout = 10 * time.Second
	// maxAck is the most characters in the answer to a press (Bot API). They are counted here in
	// UTF-16 code units, which are at least as many.
	maxAck = 200
)

// keyboard returns the buttons below a message, or the buttons of a keyboard; nil if there are
// none.
func keyboard(rows [][]supervisor.Button) gotgbot.ReplyMarkup {
	var shown [][]gotgbot.InlineKeyboardButton
	for _, row := range rows {
		var line []gotgbot.InlineKeyboardButton
		for _, b := range row {
			switch b.Press {
			case supervisor.ButtonShareLocation:
				return locationKeyboard(rows)
			case supervisor.ButtonRemoveKeyboard:
				return gotgbot.ReplyKeyboardRemove{RemoveKeyboard: true}
			}
			line = append(line, gotgbot.InlineKeyboardButton{Text: b.Text, CallbackData: b.Press})
		}
		if line != nil {
			shown = append(shown, line)
		}
	}
	if shown == nil {
		return nil
	}
	return gotgbot.InlineKeyboardMarkup{InlineKeyboard: shown}
}

// locationKeyboard returns a keyboard that can send the user's location. Its other buttons send
// their texts.
func locationKeyboard(rows [][]supervisor.Button) gotgbot.ReplyKeyboardMarkup {
	shown := make([][]gotgbot.KeyboardButton, len(rows))
	for i, row := range rows {
		for _, b := range row {
			shown[i] = append(shown[i], gotgbot.KeyboardButton{Text: b.Text,
				RequestLocation: b.Press == supervisor.ButtonShareLocation})
		}
	}
	return gotgbot.ReplyKeyboardMarkup{Keyboard: shown, ResizeKeyboard: true, OneTimeKeyboard: true}
}

// answerParams are the parameters of answerCallbackQuery.
type answerParams struct {
	Query string `json:"callback_query_id"`
	Text  string `json:"text,omitempty"`
	Alert bool   `json:"show_alert,omitempty"`
}

// AckPress ends the wait after a press, and shows the first 200 characters of text. If alert is
// true, the user must close the text; otherwise it is shown for a moment. "" shows no text.
// AckPress makes one try of at most 10 s. An expired query is no error, because no text can be
// shown any more. Its error is a *supervisor.SendError.
func (c *Client) AckPress(ctx context.Context, query, text string, alert bool) error {
	const method = "answerCallbackQuery"
	if query == "" {
		return notSendable(method, errors.New("nobody: there is no query"))
	}
	shown := supervisor.RichText{Text: text}.Truncate(maxAck).Text
	_, err := c.do(ctx, apiCall{method: method, timeout: ackTimeout, forgiving: tooOld, params: &answerParams{query, shown, alert}})
	return err
}
