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

// typingWait is how long a sign of typing may take: it lasts 5 s, and comes to nothing later.
const typingWait = 5 * time.Second

// generalTopic is the topic that every forum has. Telegram knows no thread by its number.
const generalTopic = 1

// sendParams are the parameters of every method that a chat is to see something of.
type sendParams struct {
	Chat          int64                         `json:"chat_id"`
	Thread        int64                         `json:"message_thread_id,omitempty"`
	Message       int64                         `json:"message_id,omitempty"`
	Action        string                        `json:"action,omitempty"`
	Text          string                        `json:"text,omitempty"`
	Entities      []gotgbot.MessageEntity       `json:"entities,omitempty"` // and never parse_mode: nothing is parsed again
	Preview       *gotgbot.LinkPreviewOptions   `json:"link_preview_options,omitempty"`
	Markup        *gotgbot.InlineKeyboardMarkup `json:"reply_markup,omitempty"` // an edit without it takes the buttons away
	Reply         *gotgbot.ReplyParameters      `json:"reply_parameters,omitempty"`
	Silent        bool                          `json:"disable_notification,omitempty"`
	captionParams                               // where the message is a file
	file          *upload
	timeout       time.Duration
	forgiving     []string // what the API may say and yet all is well
}

// captionParams is what a message with a file has in the place of text.
type captionParams struct {
	Caption string                  `json:"caption,omitempty"`
	Marks   []gotgbot.MessageEntity `json:"caption_entities,omitempty"`
	AsIs    bool                    `json:"disable_content_type_detection,omitempty"` // a document stays one
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
	method, result, err := c.sendContent(ctx, to, o, content.File)
	if err != nil {
		return "", err
	}
	var sent gotgbot.MessageId
	if err := json.Unmarshal(result, &sent); err != nil || sent.MessageId <= 0 {
		return "", noMessageID(method, to.Chat)
	}
	return strconv.FormatInt(sent.MessageId, 10), nil
}

// sendContent sends a text, or a file as what it can be sent as. The method is the one that was called last.
func (c *Client) sendContent(ctx context.Context, to supervisor.Address, o sendParams, file *supervisor.File) (
	method string, result json.RawMessage, err error) {
	if file == nil {
		result, err = c.callChat(ctx, "sendMessage", to, o)
		return "sendMessage", result, err
	}
	if o.file, err = c.upload(*file); err != nil {
		return sendDocument, nil, notSendable(sendDocument, fmt.Errorf("%s: %w", to.Chat, err))
	}
	if o.file.part == "photo" {
		result, err = c.callChat(ctx, sendPhoto, to, o)
		if f := new(failure); !errors.As(err, &f) || !f.noPicture() {
			return sendPhoto, result, err
		}
		o.file.part = "document"
	}
	o.AsIs = true
	result, err = c.callChat(ctx, sendDocument, to, o)
	return sendDocument, result, err
}

// Edit makes a message show content, of which the file can't change. One that shows it already is well. Its error is a
// *supervisor.SendError.
func (c *Client) Edit(ctx context.Context, to supervisor.Address, message string, content supervisor.RichText) error {
	o := contentParams(content)
	o.forgiving = unchanged
	method := "editMessageText"
	if content.File != nil {
		method = "editMessageCaption"
	}
	return c.changeMessage(ctx, method, to, message, o)
}

// Delete takes a message away. One that is not there is well. Its error is a *supervisor.SendError.
func (c *Client) Delete(ctx context.Context, to supervisor.Address, message string) error {
	return c.changeMessage(ctx, "deleteMessage", to, message, sendParams{forgiving: notThere})
}

// Typing shows for 5 s that an answer is being written. Its error is a *supervisor.SendError.
func (c *Client) Typing(ctx context.Context, to supervisor.Address) error {
	_, err := c.callChat(ctx, "sendChatAction", to, sendParams{Action: "typing", timeout: typingWait})
	return err
}

// contentParams are a text's parameters. Its links show no preview: what an answer links to was chosen by nobody to be shown,
// and Telegram would fetch it.
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

// entities are the same marks in the library's words: the types have the API's own names.
func entities(marks []supervisor.Entity) []gotgbot.MessageEntity {
	out := make([]gotgbot.MessageEntity, len(marks))
	for i, m := range marks {
		out[i] = gotgbot.MessageEntity{
			Type: string(m.Type), Offset: int64(m.Offset), Length: int64(m.Length), Url: m.URL, Language: m.Language,
		}
	}
	return out
}

// changeMessage is put about a message, which is in a thread already.
func (c *Client) changeMessage(ctx context.Context, method string, to supervisor.Address, message string, o sendParams) error {
	id, err := parseID("message", message)
	if err != nil {
		return notSendable(method, err)
	}
	o.Message = id
	_, err = c.callChat(ctx, method, supervisor.Address{Chat: to.Chat}, o)
	return err
}

// callChat makes the call. Where the API says no in a way that o forgives there is neither a result nor an error.
func (c *Client) callChat(ctx context.Context, method string, to supervisor.Address, o sendParams) (json.RawMessage, error) {
	var err error
	if o.Chat, err = parseID("chat", to.Chat); err != nil {
		return nil, notSendable(method, err)
	}
	if o.Thread, err = parseThread(to.Thread); err != nil {
		return nil, notSendable(method, err)
	}
	result, err := c.do(ctx, apiCall{method: method, chat: to.Chat, params: &o, file: o.file, timeout: o.timeout})
	if f := new(failure); errors.As(err, &f) && f.said(o.forgiving) {
		return nil, nil
	}
	return result, err
}

// parseThread is a topic's number, 0 where it is to be left out.
func parseThread(name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	id, err := parseID("thread", name)
	if id == generalTopic {
		return 0, err
	}
	return id, err
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

// noMessageID is for a message that was taken, and whose name is not known.
func noMessageID(method, chat string) error {
	err := fmt.Errorf("%s to %s: the answer names no message", method, chat)
	return &supervisor.SendError{Result: supervisor.ResultUnknown, Err: err}
}
