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

// outbound are the parameters of every method that a chat is to see something of.
type outbound struct {
	Chat      int64                         `json:"chat_id"`
	Thread    int64                         `json:"message_thread_id,omitempty"`
	Message   int64                         `json:"message_id,omitempty"`
	Action    string                        `json:"action,omitempty"`
	Text      string                        `json:"text,omitempty"`
	Entities  []gotgbot.MessageEntity       `json:"entities,omitempty"` // and never parse_mode: nothing is parsed again
	Preview   *gotgbot.LinkPreviewOptions   `json:"link_preview_options,omitempty"`
	Markup    *gotgbot.InlineKeyboardMarkup `json:"reply_markup,omitempty"` // an edit without it takes the buttons away
	Reply     *gotgbot.ReplyParameters      `json:"reply_parameters,omitempty"`
	Silent    bool                          `json:"disable_notification,omitempty"`
	captioned                               // where the message is a file
	file      *upload
	wait      time.Duration
	forgiving []string // what the API may say and yet all is well
}

// captioned is what a message with a file has in the place of text.
type captioned struct {
	Caption string                  `json:"caption,omitempty"`
	Marks   []gotgbot.MessageEntity `json:"caption_entities,omitempty"`
	AsIs    bool                    `json:"disable_content_type_detection,omitempty"` // a document stays one
}

// Send sends one message and returns its name. Its error is a *supervisor.SendError. A picture that Telegram does not take as
// one is sent as a document, which is another request.
func (c *Client) Send(ctx context.Context, to supervisor.Address, content supervisor.RichText) (string, error) {
	o := written(content)
	o.Silent = to.Silent
	if to.ReplyTo != "" {
		id, err := number("message to answer", to.ReplyTo)
		if err != nil {
			return "", refuse("sendMessage", err)
		}
		o.Reply = &gotgbot.ReplyParameters{MessageId: id, AllowSendingWithoutReply: true}
	}
	method, result, err := c.post(ctx, to, o, content.File)
	if err != nil {
		return "", err
	}
	var sent gotgbot.MessageId
	if err := json.Unmarshal(result, &sent); err != nil || sent.MessageId <= 0 {
		return "", unnamed(method, to.Chat)
	}
	return strconv.FormatInt(sent.MessageId, 10), nil
}

// post sends a text, or a file as what it can be sent as. The method is the one that was called last.
func (c *Client) post(ctx context.Context, to supervisor.Address, o outbound, file *supervisor.File) (
	method string, result json.RawMessage, err error) {
	if file == nil {
		result, err = c.put(ctx, "sendMessage", to, o)
		return "sendMessage", result, err
	}
	if o.file, err = c.upload(*file); err != nil {
		return sendDocument, nil, refuse(sendDocument, fmt.Errorf("%s: %w", to.Chat, err))
	}
	if o.file.part == "photo" {
		result, err = c.put(ctx, sendPhoto, to, o)
		if f := new(failure); !errors.As(err, &f) || !f.noPicture() {
			return sendPhoto, result, err
		}
		o.file.part = "document"
	}
	o.AsIs = true
	result, err = c.put(ctx, sendDocument, to, o)
	return sendDocument, result, err
}

// Edit makes a message show content, of which the file can't change. One that shows it already is well. Its error is a
// *supervisor.SendError.
func (c *Client) Edit(ctx context.Context, to supervisor.Address, message string, content supervisor.RichText) error {
	o := written(content)
	o.forgiving = unchanged
	method := "editMessageText"
	if content.File != nil {
		method = "editMessageCaption"
	}
	return c.alter(ctx, method, to, message, o)
}

// Delete takes a message away. One that is not there is well. Its error is a *supervisor.SendError.
func (c *Client) Delete(ctx context.Context, to supervisor.Address, message string) error {
	return c.alter(ctx, "deleteMessage", to, message, outbound{forgiving: notThere})
}

// Typing shows for 5 s that an answer is being written. Its error is a *supervisor.SendError.
func (c *Client) Typing(ctx context.Context, to supervisor.Address) error {
	_, err := c.put(ctx, "sendChatAction", to, outbound{Action: "typing", wait: typingWait})
	return err
}

// written are a text's parameters. Its links show no preview: what an answer links to was chosen by nobody to be shown,
// and Telegram would fetch it.
func written(content supervisor.RichText) outbound {
	o := outbound{Markup: keyboard(content.Buttons)}
	if content.File != nil {
		content = clipped(content, maxCaption)
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

// alter is put about a message, which is in a thread already.
func (c *Client) alter(ctx context.Context, method string, to supervisor.Address, message string, o outbound) error {
	id, err := number("message", message)
	if err != nil {
		return refuse(method, err)
	}
	o.Message = id
	_, err = c.put(ctx, method, supervisor.Address{Chat: to.Chat}, o)
	return err
}

// put makes the call. Where the API says no in a way that o forgives there is neither a result nor an error.
func (c *Client) put(ctx context.Context, method string, to supervisor.Address, o outbound) (json.RawMessage, error) {
	var err error
	if o.Chat, err = number("chat", to.Chat); err != nil {
		return nil, refuse(method, err)
	}
	if o.Thread, err = thread(to.Thread); err != nil {
		return nil, refuse(method, err)
	}
	result, err := c.do(ctx, call{method: method, chat: to.Chat, params: &o, file: o.file, wait: o.wait})
	if f := new(failure); errors.As(err, &f) && f.said(o.forgiving) {
		return nil, nil
	}
	return result, err
}

// thread is a topic's number, 0 where it is to be left out.
func thread(name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	id, err := number("thread", name)
	if id == generalTopic {
		return 0, err
	}
	return id, err
}

// number reads one of Telegram's names. They are all numbers.
func number(what, name string) (int64, error) {
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("%s %q: Telegram has only numbers", what, clip(name))
	}
	return id, nil
}

// refuse is for what can't be asked of Telegram.
func refuse(method string, err error) error {
	return &supervisor.SendError{Result: supervisor.ResultRefused, Err: fmt.Errorf("%s to %w", method, err)}
}

// unnamed is for a message that was taken, and whose name is not known.
func unnamed(method, chat string) error {
	err := fmt.Errorf("%s to %s: the answer names no message", method, chat)
	return &supervisor.SendError{Result: supervisor.ResultUnknown, Err: err}
}
