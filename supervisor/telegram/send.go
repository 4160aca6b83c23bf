package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// actionTimeout limits the call for a chat action. The action lasts 5 s and is useless later.
const actionTimeout = 5 * time.Second

// generalTopic is the topic that every forum has. Calls do not name that topic.
const generalTopic = 1

// sendParams are the parameters of every method that shows something in a chat.
type sendParams struct {
	Chat     int64                 `json:"chat_id"`
	Thread   int64                 `json:"message_thread_id,omitempty"`
	Message  int64                 `json:"message_id,omitempty"`
	Messages []int64               `json:"message_ids,omitempty"`
	Action   supervisor.ChatAction `json:"action,omitempty"`
	Text     string                `json:"text,omitempty"`
	// Entities hold all formatting: parse_mode is never set, so that Telegram parses none.
	Entities []gotgbot.MessageEntity `json:"entities,omitempty"`
	// Caption replaces Text if the message is a file.
	Caption string                  `json:"caption,omitempty"`
	Marks   []gotgbot.MessageEntity `json:"caption_entities,omitempty"`
	// AsIs keeps a document a document, even if Telegram can play or show its type.
	AsIs bool `json:"disable_content_type_detection,omitempty"`
	// Media lists the files of an album.
	Media []albumMedia `json:"media,omitempty"`
	// Streaming lets users play a video while it loads.
	Streaming bool `json:"supports_streaming,omitempty"`
	// Duration is the length of audio or video, in seconds.
	Duration int `json:"duration,omitempty"`
	// Width and Height are the size of a video, in pixels.
	Width    int                         `json:"width,omitempty"`
	Height   int                         `json:"height,omitempty"`
	Reaction *[]reactionType             `json:"reaction,omitempty"` // an empty list removes the reaction
	Preview  *gotgbot.LinkPreviewOptions `json:"link_preview_options,omitempty"`
	// Markup has the buttons; an edit without it removes them.
	Markup gotgbot.ReplyMarkup      `json:"reply_markup,omitempty"`
	Reply  *gotgbot.ReplyParameters `json:"reply_parameters,omitempty"`
	Silent bool                     `json:"disable_notification,omitempty"`
}

// Send sends a message or an album, and returns its name. Its error is a *supervisor.SendError. If
// Telegram does not accept a file as a photo, a voice message and so on, another request sends it
// as a document.
func (c *Client) Send(ctx context.Context, to supervisor.PostAddress, content supervisor.RichText) (string, error) {
	o := contentParams(content)
	o.Silent = to.Silent
	if to.ReplyTo != "" {
		id, err := parseID("message to answer", to.ReplyTo)
		if err != nil {
			return "", notSendable("sendMessage", err)
		}
		o.Reply = &gotgbot.ReplyParameters{MessageId: id, AllowSendingWithoutReply: true}
	}
	if content.File != nil {
		return c.sendFiles(ctx, to, content, o)
	}
	const method = "sendMessage"
	result, err := c.callChat(ctx, apiCall{method: method}, to, o)
	if err != nil {
		return "", err
	}
	return messageNames(method, to.Chat, result)
}

// EditMessage replaces the content of a message; its file can't change. An edit without a change is
// no error. Its error is a *supervisor.SendError.
func (c *Client) EditMessage(ctx context.Context, to supervisor.PostAddress, message string,
	content supervisor.RichText) error {
	call := apiCall{method: "editMessageText", forgiving: unchanged}
	if content.File != nil {
		call.method = "editMessageCaption"
	}
	return c.changeMessage(ctx, call, to, message, contentParams(content))
}

// albumComma separates the names of an album's messages.
const albumComma = ","

// DeleteMessage deletes a message or an album. It is no error if the message is missing. Its error
// is a *supervisor.SendError.
func (c *Client) DeleteMessage(ctx context.Context, to supervisor.PostAddress, message string) error {
	if names := strings.Split(message, albumComma); len(names) > 1 {
		return c.deleteAll(ctx, to, names)
	}
	return c.changeMessage(ctx, apiCall{method: "deleteMessage", forgiving: notThere}, to, message, sendParams{})
}

// deleteAll deletes several messages.
func (c *Client) deleteAll(ctx context.Context, to supervisor.PostAddress, names []string) error {
	const method = "deleteMessages"
	ids := make([]int64, len(names))
	for i, name := range names {
		id, err := parseID("message", name)
		if err != nil {
			return notSendable(method, err)
		}
		ids[i] = id
	}
	_, err := c.callChat(ctx, apiCall{method: method, forgiving: notThere}, supervisor.PostAddress{Chat: to.Chat},
		sendParams{Messages: ids})
	return err
}

// RemoveButtons removes a message's buttons. It is no error if the message has no buttons, is
// missing or can't be changed any more. Its error is a *supervisor.SendError.
func (c *Client) RemoveButtons(ctx context.Context, to supervisor.PostAddress, message string) error {
	return c.changeMessage(ctx, apiCall{method: "editMessageReplyMarkup", forgiving: unbuttoned}, to, message, sendParams{})
}

// SendChatAction shows an action for 5 s, for example that an answer is being written. Its error is
// a *supervisor.SendError.
func (c *Client) SendChatAction(ctx context.Context, to supervisor.PostAddress, action supervisor.ChatAction) error {
	_, err := c.callChat(ctx, apiCall{method: "sendChatAction", timeout: actionTimeout}, to, sendParams{Action: action})
	return err
}

// reactionType is an emoji on a message. (Bot API, ReactionTypeEmoji.)
type reactionType struct {
	Type  string `json:"type"`
	Emoji string `json:"emoji"`
}

// SetReaction sets the bot's reaction to a message; "" removes it. It is no error if the message is
// missing. Its error is a *supervisor.SendError.
func (c *Client) SetReaction(ctx context.Context, to supervisor.PostAddress, message, emoji string) error {
	list := []reactionType{}
	if emoji != "" {
		list = append(list, reactionType{"emoji", emoji})
	}
	return c.changeMessage(ctx, apiCall{method: "setMessageReaction", timeout: actionTimeout}, to, message, sendParams{Reaction: &list})
}

// contentParams returns a text's parameters. The links show no preview, because nobody asked for a
// preview and Telegram would fetch the pages.
func contentParams(content supervisor.RichText) sendParams {
	o := sendParams{Markup: keyboard(content.Buttons)}
	if content.File != nil {
		content = content.Truncate(maxCaption)
		o.Caption, o.Marks = content.Text, entities(content.Entities)
		return o
	}
	o.Text, o.Entities = content.Text, entities(content.Entities)
	o.Preview = &gotgbot.LinkPreviewOptions{IsDisabled: true}
	return o
}

// entities converts marks to the library's type. The types of marks already have the API's names.
func entities(marks []supervisor.RichTextEntity) []gotgbot.MessageEntity {
	out := make([]gotgbot.MessageEntity, len(marks))
	for i, m := range marks {
		out[i] = gotgbot.MessageEntity{
			Type: string(m.Type), Offset: int64(m.Offset), Length: int64(m.Length), Url: m.URL, Language: m.Language,
		}
	}
	return out
}

// changeMessage makes a call about a message. The call names no thread, because the message is in a
// thread already.
func (c *Client) changeMessage(ctx context.Context, call apiCall, to supervisor.PostAddress, message string,
	o sendParams) error {
	id, err := parseID("message", message)
	if err != nil {
		return notSendable(call.method, err)
	}
	o.Message = id
	_, err = c.callChat(ctx, call, supervisor.PostAddress{Chat: to.Chat}, o)
	return err
}

// callChat makes a call about a chat.
func (c *Client) callChat(ctx context.Context, call apiCall, to supervisor.PostAddress, o sendParams) (json.RawMessage,
	error) {
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

// parseID parses one of Telegram's ids, which are all numbers.
func parseID(what, name string) (int64, error) {
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("%s %q: Telegram has only numbers", what, clip(name))
	}
	return id, nil
}

// notSendable returns the error of a request that can't be made to Telegram.
func notSendable(method string, err error) error {
	return &supervisor.SendError{Result: supervisor.SendResultRefused, Err: fmt.Errorf("%s to %w", method, err)}
}
