package control

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/problem"
)

const (
	// source is the Source of inbounds from this socket.
	source = "terminal"
	// maxName limits names that a client gives, in bytes.
	maxName = 64
)

// serverConn is the supervisor's side of a connection, and handles its calls.
type serverConn struct {
	o          *Options
	uid        uint32
	conn       *protocol.Conn
	called     chan struct{} // closed at the client's first call
	attachedAt chan position // passes the client's position from chat.attach to serve, once
	firstCall  sync.Once     // ensures that called is closed only once
	upload     upload        // the unfinished upload

	mu           sync.Mutex               // guards the field conversation
	conversation *supervisor.Conversation // the client's conversation; nil before chat.attach
}

// position is the point in a conversation at which a client starts.
type position struct {
	conversation int64
	after        int64 // the newest delivery that the client has
	line         int64 // the newest line that the client has
	start        int64 // up to start the client gets only deliveries that no client has taken; after start it gets all
}

// chatMethods are the methods that a client may call, besides Options.Methods.
var chatMethods = map[string]func(*serverConn, context.Context, *protocol.Request) (any, error){
	MethodJoinChat:        decoded((*serverConn).attach),
	MethodSendMessage:     decoded((*serverConn).say),
	MethodUpload:          decoded((*serverConn).takePart),
	MethodPress:           decoded((*serverConn).press),
	MethodConfirmDelivery: decoded((*serverConn).took),

	MethodTranscribe: decoded((*serverConn).transcribe),
}

// decoded makes a method from a function that takes decoded parameters.
func decoded[T any](method func(*serverConn, context.Context, T) (any, error)) func(*serverConn, context.Context, *protocol.Request) (any, error) {
	return func(c *serverConn, ctx context.Context, req *protocol.Request) (any, error) {
		var params T
		if err := req.DecodeParams(&params); err != nil {
			return nil, err
		}
		return method(c, ctx, params)
	}
}

// HandleCall answers a client. If the call fails, the client gets only the error's text for users.
func (c *serverConn) HandleCall(ctx context.Context, req *protocol.Request) (result any, err error) {
	c.firstCall.Do(func() { close(c.called) })
	switch chat, other := chatMethods[req.Method], c.o.Methods[req.Method]; {
	case chat != nil:
		result, err = chat(c, ctx, req)
	case other != nil:
		result, err = other(ctx, c.uid, req)
	default:
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	var wire *protocol.Error
	if err == nil || errors.As(err, &wire) {
		return result, err
	}
	if supervisor.ErrorCodeOf(err) == supervisor.CodeInternal && ctx.Err() == nil {
		c.o.Log.Error("control", "method", req.Method, "uid", c.uid, "error", err)
	}
	return nil, &protocol.Error{Code: protocol.CodeFailed, Message: problem.UserText(err)}
}

// HandleNotification does nothing, because clients send no notifications.
func (c *serverConn) HandleNotification(*protocol.Request) {}

func (c *serverConn) attach(ctx context.Context, p JoinChatRequest) (any, error) {
	if len(p.User) > maxName || len(p.Chat) > maxName || strings.ContainsFunc(p.Chat, unicode.IsControl) {
		return nil, invalid(textNames)
	}
	user, err := c.o.People.FindSpeaker(c.uid, p.User)
	if err != nil {
		return nil, err
	}
	conversation, err := c.o.Conversations.FindOrCreate(ctx, user.Name, supervisor.ChannelTerminal, p.Chat, "")
	if err != nil {
		return nil, err
	}
	newest, err := c.o.Outbox.NewestID(ctx, conversation.ID)
	if err != nil {
		return nil, err
	}
	at := position{conversation: conversation.ID, after: p.After, start: p.Start, line: p.Line}
	if at.line <= 0 {
		if at.line, err = c.o.Lines.NewestInbound(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case p.After == StartAtUndelivered:
		at.after, at.start = 0, newest
	case p.After == StartFromNow:
		at.after, at.start = newest, newest
	case p.After < 0 || p.Start < 0:
		return nil, invalid(textBelowZero)
	}
	if !c.setConversation(conversation) {
		return nil, invalid(textAttachedTwice)
	}
	c.attachedAt <- at
	greeting := c.o.Greet(ctx, user)
	greeting.User, greeting.Home, greeting.Conversation, greeting.Newest = user.Name, user.Home, conversation.ID, newest
	greeting.Line = at.line
	return greeting, nil
}

func invalid(text string) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: text}
}

// setConversation sets the connection's conversation. It returns false if the connection already
// has a conversation.
func (c *serverConn) setConversation(conversation supervisor.Conversation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conversation != nil {
		return false
	}
	c.conversation = &conversation
	return true
}

func (c *serverConn) say(ctx context.Context, p SendMessageRequest) (any, error) {
	conversation, err := c.activeConversation()
	if err != nil {
		return nil, err
	}
	files, err := c.attachments(ctx, conversation.User, p.Files)
	if err != nil {
		return nil, err
	}
	return c.keep(ctx, supervisor.Inbound{Conversation: conversation, Key: p.Key, Text: p.Text}, files...)
}

// press stores the press of a button, which must belong to the conversation.
func (c *serverConn) press(ctx context.Context, p PressRequest) (any, error) {
	conversation, d, err := c.delivery(ctx, p.Delivery)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(slices.Concat(d.Buttons...), func(b supervisor.Button) bool { return b.Press == p.Press }) {
		return nil, invalid(textNoButton)
	}
	return c.keep(ctx, supervisor.Inbound{Conversation: conversation, Key: p.Key, Kind: supervisor.KindPress, Text: p.Press})
}

// keep stores an inbound, and returns the answer for the client.
func (c *serverConn) keep(ctx context.Context, in supervisor.Inbound, files ...supervisor.Attachment) (any, error) {
	in.Source = source
	kept, err := c.o.Inbox.StoreInbound(ctx, in, files...)
	if err != nil {
		return nil, err
	}
	c.o.Feeds.NotifyLine(kept.Conversation.ID)
	return InputReceipt{Inbound: kept.ID, Held: kept.Held, Answered: kept.State == supervisor.InboundAnswered,
		Resumes: kept.Resumes}, nil
}

// took records that the client has taken a delivery of its conversation.
func (c *serverConn) took(ctx context.Context, p ConfirmDeliveryRequest) (any, error) {
	if _, _, err := c.delivery(ctx, p.Delivery); err != nil {
		return nil, err
	}
	return nil, c.o.Outbox.MarkDelivered(ctx, p.Delivery)
}

// delivery returns the delivery with an ID, if it belongs to this connection's conversation.
func (c *serverConn) delivery(ctx context.Context, id int64) (conversation supervisor.Conversation, d supervisor.Delivery, err error) {
	if conversation, err = c.activeConversation(); err != nil {
		return conversation, d, err
	}
	list, err := c.o.Outbox.List(ctx, conversation.ID, id-1, 1)
	switch {
	case err != nil:
		return conversation, d, err
	case len(list) == 0 || list[0].ID != id:
		return conversation, d, invalid(textNoDelivery)
	}
	return conversation, list[0], nil
}

// activeConversation returns this connection's conversation. It fails if the process's user may no
// longer write in the conversation.
func (c *serverConn) activeConversation() (supervisor.Conversation, error) {
	c.mu.Lock()
	conversation := c.conversation
	c.mu.Unlock()
	if conversation == nil {
		return supervisor.Conversation{}, invalid(textNotAttached)
	}
	_, err := c.o.People.FindSpeaker(c.uid, conversation.User)
	return *conversation, err
}
