package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// typingTimeout is how long a sign of typing may take: it lasts 5 s, and comes to nothing later.
const typingTimeout = 5 * time.Second

// generalTopic is the topic that every forum has. A call does not name it.
const generalTopic = 1

// sendParams are the parameters of every method of which a chat is to see something.
type sendParams struct {
	Chat     int64                         `json:"chat_id"`
	Thread   int64                         `json:"message_thread_id,omitempty"`
	Message  int64                         `json:"message_id,omitempty"`
	Action   string                        `json:"action,omitempty"`
	Text     string                        `json:"text,omitempty"`
	Entities []gotgbot.MessageEntity       `json:"entities,omitempty"` // and never parse_mode: nothing is parsed again
	Caption  string                        `json:"caption,omitempty"`  // in the place of the text, where the message is a file
	Marks    []gotgbot.MessageEntity       `json:"caption_entities,omitempty"`
	AsIs     bool                          `json:"disable_content_type_detection,omitempty"` // a document stays one
	Preview  *gotgbot.LinkPreviewOptions   `json:"link_preview_options,omitempty"`
	Markup   *gotgbot.InlineKeyboardMarkup `json:"reply_markup,omitempty"` // an edit without it takes the buttons away
	Reply    *gotgbot.ReplyParameters      `json:"reply_parameters,omitempty"`
	Silent   bool                          `json:"disable_notification,omitempty"`
}

// Send sends one message and returns its name. Its error is a *supervisor.SendError. A picture that Telegram does not take as
// one is sent as a document, which is another request.
func (c *Client) Send(ctx context.Context, to supervisor.Address, content supervisor.RichText) (string, error) {
	o := contentParams(content)
	o.Silent = to.Silent
	if to.ReplyTo != "" {
		id, err := parseID("message to answer", to.ReplyTo)
		if err != nil {
			return "", notSendable("sendMessage", err)
		}
		o.Reply = &gotgbot.ReplyParameters{MessageId: id, AllowSendingWithoutReply: true}
	}
	call := apiCall{method: "sendMessage"}
	if content.File != nil {
		file, err := c.upload(*content.File)
		if err != nil {
			return "", notSendable(sendDocument, fmt.Errorf("%s: %w", to.Chat, err))
		}
		call.file, call.method = file, uploadMethods[file.part]
		o.AsIs = call.method == sendDocument
	}
	result, err := c.callChat(ctx, call, to, o)
	if f, ok := errors.AsType[*failure](err); ok && call.method == sendPhoto && f.noPicture() {
		call.method, call.file.part, o.AsIs = sendDocument, "document", true
		result, err = c.callChat(ctx, call, to, o)
	}
	if err != nil {
		return "", err
	}
	var sent gotgbot.MessageId
	if err := json.Unmarshal(result, &sent); err != nil || sent.MessageId <= 0 {
		err := fmt.Errorf("%s to %s: the answer names no message", call.method, to.Chat)
		return "", &supervisor.SendError{Result: supervisor.ResultUnknown, Err: err}
	}
	return decimal(sent.MessageId), nil
}

// Edit makes a message show content; its file can't change. A message that shows it already is well. Its error is a
// *supervisor.SendError.
func (c *Client) Edit(ctx context.Context, to supervisor.Address, message string, content supervisor.RichText) error {
	call := apiCall{method: "editMessageText", forgiving: unchanged}
	if content.File != nil {
		call.method = "editMessageCaption"
	}
	return c.changeMessage(ctx, call, to, message, contentParams(content))
}

// Delete takes a message away. One that is not there is well. Its error is a *supervisor.SendError.
func (c *Client) Delete(ctx context.Context, to supervisor.Address, message string) error {
	return c.changeMessage(ctx, apiCall{method: "deleteMessage", forgiving: notThere}, to, message, sendParams{})
}

// Unbutton takes a message's buttons away. One that has none, is not there or can't be changed any more is well. Its error is
// a *supervisor.SendError.
func (c *Client) Unbutton(ctx context.Context, to supervisor.Address, message string) error {
	return c.changeMessage(ctx, apiCall{method: "editMessageReplyMarkup", forgiving: unbuttoned}, to, message, sendParams{})
}

// Typing shows for 5 s that an answer is being written. Its error is a *supervisor.SendError.
func (c *Client) Typing(ctx context.Context, to supervisor.Address) error {
	_, err := c.callChat(ctx, apiCall{method: "sendChatAction", timeout: typingTimeout}, to, sendParams{Action: "typing"})
	return err
}

// contentParams are a text's parameters. Its links show no preview: nobody chose them to be shown, and Telegram would fetch
// them.
func contentParams(content supervisor.RichText) sendParams {
	o := sendParams{Markup: keyboard(content.Buttons)}
	if content.File != nil {
		content = content.Clip(maxCaption)
		o.Caption, o.Marks = content.Text, entities(content.Entities)
		return o
	}
	o.Text, o.Entities = content.Text, entities(content.Entities)
	o.Preview = &gotgbot.LinkPreviewOptions{IsDisabled: true}
	return o
}

// entities are the marks in the library's words. The types have the API's own names.
func entities(marks []supervisor.Entity) []gotgbot.MessageEntity {
	out := make([]gotgbot.MessageEntity, len(marks))
	for i, m := range marks {
		out[i] = gotgbot.MessageEntity{
			Type: string(m.Type), Offset: int64(m.Offset), Length: int64(m.Length), Url: m.URL, Language: m.Language,
		}
	}
	return out
}

// changeMessage makes a call about a message. No thread is named: the message is in one already.
func (c *Client) changeMessage(ctx context.Context, call apiCall, to supervisor.Address, message string, o sendParams) error {
	id, err := parseID("message", message)
	if err != nil {
		return notSendable(call.method, err)
	}
	o.Message = id
	_, err = c.callChat(ctx, call, supervisor.Address{Chat: to.Chat}, o)
	return err
}

// callChat makes a call about a chat.
func (c *Client) callChat(ctx context.Context, call apiCall, to supervisor.Address, o sendParams) (json.RawMessage, error) {
	var err error
	if o.Chat, err = parseID("chat", to.Chat); err != nil {
		return nil, notSendable(call.method, err)
	}
	if to.Thread != "" {
		if o.Thread, err = parseID("thread", to.Thread); err != nil {
			return nil, notSendable(call.method, err)
		}
	}
	if o.Thread == generalTopic {
		o.Thread = 0
	}
	call.chat, call.params = to.Chat, &o
	return c.do(ctx, call)
}

// parseID reads one of Telegram's names. They are all numbers.
func parseID(what, name string) (int64, error) {
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("%s %q: Telegram has only numbers", what, clip(name))
	}
	return id, nil
}

// notSendable is for what can't be asked of Telegram.
func notSendable(method string, err error) error {
	return &supervisor.SendError{Result: supervisor.ResultRefused, Err: fmt.Errorf("%s to %w", method, err)}
}
