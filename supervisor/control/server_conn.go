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
)

const (
	// source is who numbers the keys of what comes over this socket.
	source = "terminal"
	// maxName bounds the names that a client may give, in bytes.
	maxName = 64
)

// serverConn is one connection, seen from the supervisor. It is the handler of its conn.
type serverConn struct {
	o          *Options
	uid        uint32
	conn       *protocol.Conn
	called     chan struct{} // closed with the first thing that the client asks for
	attachedAt chan position // what chat.attach hands to show, once
	firstCall  sync.Once     // closes asked

	mu           sync.Mutex // guards conv
	conversation *supervisor.Conversation
}

// position is a conversation that the client has attached to.
type position struct {
	conversation int64
	after        int64 // the newest delivery that it has
	start        int64 // up to there it gets what no client has taken, from there on all
}

// chatMethods is what a client may call.
var chatMethods = map[string]func(*serverConn, context.Context, *protocol.Request) (any, error){
	MethodStatus: (*serverConn).status,
	MethodAttach: (*serverConn).attach,
	MethodSay:    (*serverConn).say,
	MethodPress:  (*serverConn).press,
	MethodTook:   (*serverConn).took,
}

// Call answers a client. What a person may read of an error travels; all else is "internal".
func (c *serverConn) Call(ctx context.Context, req *protocol.Request) (any, error) {
	c.firstCall.Do(func() { close(c.called) })
	method, ok := chatMethods[req.Method]
	if answer := c.o.Methods[req.Method]; !ok && answer != nil {
		method, ok = func(c *serverConn, ctx context.Context, req *protocol.Request) (any, error) {
			return answer(ctx, c.uid, req)
		}, true
	}
	if !ok {
		return nil, protocol.MethodNotFound(req.Method)
	}
	result, err := method(c, ctx, req)
	var wire *protocol.Error
	if err == nil || errors.As(err, &wire) {
		return result, err
	}
	if supervisor.ErrorCode(err) == supervisor.CodeInternal && ctx.Err() == nil {
		c.o.Log.Error("control", "method", req.Method, "uid", c.uid, "error", err)
	}
	return nil, &protocol.Error{Code: protocol.CodeFailed, Message: supervisor.ErrorMessage(err)}
}

// Notify takes nothing: a client has nothing to notify of.
func (c *serverConn) Notify(*protocol.Request) {}

func (c *serverConn) status(ctx context.Context, req *protocol.Request) (any, error) {
	if err := req.Decode(nil); err != nil {
		return nil, err
	}
	if _, err := c.o.People.Speaker(c.uid, ""); err != nil && !c.o.People.Admin(c.uid) {
		return nil, err
	}
	return c.o.Status(ctx, c.uid)
}

func (c *serverConn) attach(ctx context.Context, req *protocol.Request) (any, error) {
	var p Attach
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	if len(p.User) > maxName || len(p.Chat) > maxName || strings.ContainsFunc(p.Chat, unicode.IsControl) {
		return nil, invalid("A user's or a chat's name has at most 64 bytes and no control characters.")
	}
	user, err := c.o.People.Speaker(c.uid, p.User)
	if err != nil {
		return nil, err
	}
	conv, err := c.o.Conversations.Find(ctx, user.Name, supervisor.ChannelTerminal, p.Chat, "")
	if err != nil {
		return nil, err
	}
	newest, err := c.o.Outbox.Newest(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	j, err := p.position(conv.ID, newest)
	if err != nil {
		return nil, err
	}
	if !c.setConversation(conv) {
		return nil, invalid("This connection is attached already.")
	}
	c.attachedAt <- j
	greeting := c.o.Greet(user)
	greeting.User, greeting.Home, greeting.Conversation, greeting.Newest = user.Name, user.Home, conv.ID, newest
	return greeting, nil
}

// position is where in a conversation a client begins.
func (p Attach) position(conversation, newest int64) (position, error) {
	switch {
	case p.After == Undelivered:
		return position{conversation: conversation, start: newest}, nil
	case p.After == FromNow:
		return position{conversation: conversation, after: newest, start: newest}, nil
	case p.After < 0 || p.Start < 0:
		return position{}, invalid("There are no deliveries with numbers below zero.")
	}
	return position{conversation: conversation, after: p.After, start: p.Start}, nil
}

func invalid(message string) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: message}
}

// setConversation makes the connection that conversation's, once.
func (c *serverConn) setConversation(conv supervisor.Conversation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conversation != nil {
		return false
	}
	c.conversation = &conv
	return true
}

func (c *serverConn) say(ctx context.Context, req *protocol.Request) (any, error) {
	var p Say
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	conv, err := c.activeConversation()
	if err != nil {
		return nil, err
	}
	kept, err := c.o.Inbox.Put(ctx, supervisor.Inbound{Conversation: conv, Source: source, Key: p.Key, Text: p.Text})
	if err != nil {
		return nil, err
	}
	return newSaid(kept), nil
}

// press keeps that a button was pressed, which has to be one of the conversation's.
func (c *serverConn) press(ctx context.Context, req *protocol.Request) (any, error) {
	var p Press
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	conv, d, err := c.delivery(ctx, p.Delivery)
	if err != nil {
		return nil, err
	}
	if !hasButton(d, p.Press) {
		return nil, invalid("This message has no such button.")
	}
	kept, err := c.o.Inbox.Put(ctx, supervisor.Inbound{Conversation: conv, Source: source, Key: p.Key,
		Kind: supervisor.KindPress, Text: p.Press})
	if err != nil {
		return nil, err
	}
	return newSaid(kept), nil
}

// newSaid is what has become of an inbound as it was kept.
func newSaid(kept supervisor.Inbound) Said {
	return Said{Inbound: kept.ID, Held: kept.Held, Answered: kept.State == supervisor.InboundAnswered}
}

// hasButton says whether a delivery has a button that says so.
func hasButton(d supervisor.Delivery, press string) bool {
	return slices.ContainsFunc(d.Buttons, func(row []supervisor.Button) bool {
		return slices.ContainsFunc(row, func(b supervisor.Button) bool { return b.Press == press })
	})
}

// took keeps that the client has taken a delivery of its conversation.
func (c *serverConn) took(ctx context.Context, req *protocol.Request) (any, error) {
	var p Took
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	if _, _, err := c.delivery(ctx, p.Delivery); err != nil {
		return nil, err
	}
	return nil, c.o.Outbox.Delivered(ctx, p.Delivery)
}

// delivery is one of the conversation that this connection is attached to.
func (c *serverConn) delivery(ctx context.Context, id int64) (conv supervisor.Conversation, d supervisor.Delivery, err error) {
	if conv, err = c.activeConversation(); err != nil {
		return conv, d, err
	}
	list, err := c.o.Outbox.List(ctx, conv.ID, id-1, 1)
	if err != nil {
		return conv, d, err
	}
	if len(list) == 0 || list[0].ID != id {
		return conv, d, invalid("This conversation has no such delivery.")
	}
	return conv, list[0], nil
}

// activeConversation is the conversation of this connection, if its process may still speak in it: people change while it is open.
func (c *serverConn) activeConversation() (supervisor.Conversation, error) {
	c.mu.Lock()
	conv := c.conversation
	c.mu.Unlock()
	if conv == nil {
		return supervisor.Conversation{}, invalid("Attach first.")
	}
	_, err := c.o.People.Speaker(c.uid, conv.User)
	return *conv, err
}
