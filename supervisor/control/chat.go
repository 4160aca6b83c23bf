package control

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/slots"
)

// Pauses between attempts to reconnect to a supervisor that is away.
const (
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = time.Second
)

// Screen shows a conversation to a user. Only one of its methods runs at a time.
type Screen interface {
	// ShowConnected reports that the client has joined the conversation. again is true after a
	// reconnect.
	ShowConnected(a JoinChatResult, again bool)
	// ShowDelivery shows a delivery. It returns false to leave the delivery to another client.
	ShowDelivery(d Delivery) (taken bool)
	// ShowProgress shows the progress of the reply.
	ShowProgress(p Progress)
	// ShowConnectionLost reports that the supervisor is away; the chat tries to reconnect.
	ShowConnectionLost(err error)
}

// LineScreen is a Screen that also shows the lines of the conversation's other clients.
type LineScreen interface {
	// ShowLine shows a line that another client has sent.
	ShowLine(l Line)
}

// Chat is a client's side of a conversation. If the supervisor restarts, the chat reconnects,
// repeats messages that were not accepted, and gets missed deliveries. It shows each delivery once.
// It is safe for several goroutines.
type Chat struct {
	path   string
	screen Screen

	// sending has one slot, for the message that is being sent, so that messages stay in order.
	sending *slots.Slots

	mu         sync.Mutex      // guards the fields below, and serializes the screen's calls
	attach     JoinChatRequest // parameters of chat.attach; After is the newest delivery that was shown
	tookNewest bool            // whether the screen took the newest delivery
	conn       *protocol.Conn  // the attached connection, or nil
	pending    []func()        // what came before conn was set, for the screen
	ownKeys    map[string]bool // keys of sent messages that have not come back as lines
	changed    chan struct{}   // closed when conn changes; then replaced
}

// NewChat makes a chat over the socket at path; call Run to start it.
func NewChat(path string, attach JoinChatRequest, screen Screen) *Chat {
	return &Chat{path: path, attach: attach, screen: screen, sending: slots.New(1), ownKeys: map[string]bool{},
		changed: make(chan struct{})}
}

// ServiceStartCommand returns the command that starts this chat's supervisor.
func (c *Chat) ServiceStartCommand() string { return ServiceStartCommand(c.path) }

// Run keeps the conversation joined until ctx ends. Run fails if the first attempt to join fails,
// or if the supervisor refuses the chat. It also fails if the supervisor does not run for longer
// than away; 0 means no limit.
func (c *Chat) Run(ctx context.Context, away time.Duration) error {
	again := false
	lost := time.Time{}
	wait := minRetryDelay
	for {
		joined, err := c.connect(ctx, again)
		if ctx.Err() != nil {
			return nil
		}
		if !again && !joined || isRefusal(err) {
			return err
		}
		if joined {
			again, lost, wait = true, time.Now(), minRetryDelay
			c.connectionLost(err)
		}
		if away > 0 && time.Since(lost) > away {
			return fmt.Errorf(textAway, away, c.ServiceStartCommand(), err)
		}
		if !retry.Sleep(ctx, wait) {
			return nil
		}
		wait = min(2*wait, maxRetryDelay)
	}
}

// NewMessageKey returns a random key for a message.
func NewMessageKey() string { return rand.Text() }

// SendMessage sends a message with uploaded files. It returns when the supervisor has the message
// on disk. While the supervisor is away, it waits until ctx ends. key identifies the message if it
// is sent again. SendMessage may be called before Run has joined. If the supervisor refuses the
// message, SendMessage returns an error.
func (c *Chat) SendMessage(ctx context.Context, key, text string, files ...UploadedFile) (said InputReceipt,
	err error) {
	if err := checkText(text); err != nil {
		return said, err
	}
	c.mu.Lock()
	c.ownKeys[key] = true
	c.mu.Unlock()
	return c.callInOrder(ctx, MethodSendMessage, SendMessageRequest{Key: key, Text: text, Files: files})
}

// PressButton sends the press of a button below a delivery. While the supervisor is away,
// PressButton waits until ctx ends.
func (c *Chat) PressButton(ctx context.Context, key string, delivery int64, press string) (InputReceipt, error) {
	return c.callInOrder(ctx, MethodPress, PressRequest{Key: key, Delivery: delivery, Press: press})
}

// callInOrder makes a call after all earlier calls have been answered.
func (c *Chat) callInOrder(ctx context.Context, method string, params any) (said InputReceipt, err error) {
	slot, err := c.sending.Acquire(ctx, "")
	if err != nil {
		return said, err
	}
	defer slot.Release()
	err = c.call(ctx, method, params, &said)
	return said, err
}

// checkText returns an error if a text is too long or invalid for the wire.
func checkText(text string) error {
	switch {
	case len(text) > supervisor.MaxInboundText:
		return supervisor.Errorf(supervisor.CodeInvalid, textTooLong, supervisor.MaxInboundText>>10)
	case !utf8.ValidString(text):
		return supervisor.Errorf(supervisor.CodeInvalid, textNotUTF8)
	}
	return nil
}

// Leave waits until the supervisor has stored that the newest delivery was taken. Call it before a
// chat ends, so that the next chat does not show the delivery again.
func (c *Chat) Leave(ctx context.Context) error {
	c.mu.Lock()
	newest, took := c.attach.After, c.tookNewest
	c.mu.Unlock()
	if !took {
		return nil
	}
	return c.ConfirmDelivery(ctx, newest)
}

// ConfirmDelivery tells the supervisor that the user has got a delivery. No other client shows the
// delivery then. ConfirmDelivery returns when the supervisor has stored the confirmation.
func (c *Chat) ConfirmDelivery(ctx context.Context, delivery int64) error {
	return c.call(ctx, MethodConfirmDelivery, ConfirmDeliveryRequest{Delivery: delivery}, nil)
}

// call makes a call to the supervisor, and repeats it until it is answered or ctx ends. It may need
// several connections.
func (c *Chat) call(ctx context.Context, method string, params, result any) error {
	var conn *protocol.Conn
	for {
		var err error
		if conn, err = c.attachedConn(ctx, conn); err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, callTimeout)
		err = conn.Call(bounded, method, params, result)
		late := bounded.Err() != nil
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case late:
			conn = nil // the next attempt may use the same connection
		case !errors.Is(err, protocol.ErrClosed):
			return decodeError(err)
		}
	}
}

// connect joins the conversation and serves it until the connection ends.
func (c *Chat) connect(ctx context.Context, again bool) (joined bool, err error) {
	conn, err := dial(ctx, c.path, c)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = conn.Run(ctx) })
	defer running.Wait()
	defer cancel()
	var attached JoinChatResult
	bounded, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	if err := decodeError(conn.Call(bounded, MethodJoinChat, c.attachParams(), &attached)); err != nil {
		return false, err
	}
	c.setAttached(conn, attached, again)
	<-conn.Done()
	running.Wait()
	return true, ended
}

// attachParams returns the parameters with which a new connection attaches.
func (c *Chat) attachParams() JoinChatRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = nil
	return c.attach
}

func (c *Chat) setAttached(conn *protocol.Conn, attached JoinChatResult, again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.attach.After {
	case StartFromNow:
		c.attach.After, c.attach.Start = attached.Newest, attached.Newest
	case StartAtUndelivered:
		c.attach.After, c.attach.Start = 0, attached.Newest
	}
	c.attach.Line = max(c.attach.Line, attached.Line)
	c.screen.ShowConnected(attached, again)
	for _, show := range c.pending {
		show()
	}
	c.setConn(conn)
}

func (c *Chat) connectionLost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setConn(nil)
	c.screen.ShowConnectionLost(err)
}

// setConn sets the attached connection. The caller has c.mu.
func (c *Chat) setConn(conn *protocol.Conn) {
	c.conn, c.pending = conn, nil
	close(c.changed)
	c.changed = make(chan struct{})
}

// attachedConn returns an attached connection other than old, and waits for one if necessary.
func (c *Chat) attachedConn(ctx context.Context, old *protocol.Conn) (*protocol.Conn, error) {
	for {
		c.mu.Lock()
		conn, changed := c.conn, c.changed
		c.mu.Unlock()
		if conn != nil && conn != old {
			return conn, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// HandleCall takes a delivery of the supervisor. It waits until the chat has joined the
// conversation.
func (c *Chat) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	if req.Method != MethodDeliver {
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	var d Delivery
	if err := req.DecodeParams(&d); err != nil {
		return nil, err
	}
	if _, err := c.attachedConn(ctx, nil); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case d.ID < c.attach.After:
		return DeliverResult{}, nil // the delivery is from before this chat began, so another client should get it
	case d.ID > c.attach.After:
		c.tookNewest = c.screen.ShowDelivery(d)
		c.attach.After = d.ID
	}
	return DeliverResult{Taken: c.tookNewest}, nil
}

// HandleNotification shows progress of the reply and other clients' lines, in order. The first may
// come before the answer to chat.attach.
func (c *Chat) HandleNotification(req *protocol.Request) {
	var show func()
	switch req.Method {
	case MethodProgress:
		var s Progress
		if req.DecodeParams(&s) != nil {
			return
		}
		show = func() { c.screen.ShowProgress(s) }
	case MethodLine:
		var l Line
		if req.DecodeParams(&l) != nil {
			return
		}
		show = func() { c.showLine(l) }
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		c.pending = append(c.pending, show)
		return
	}
	show()
}

// showLine shows a line once, unless this client has sent it. The caller has c.mu.
func (c *Chat) showLine(l Line) {
	if l.Inbound <= c.attach.Line {
		return
	}
	c.attach.Line = l.Inbound
	if c.ownKeys[l.Key] {
		delete(c.ownKeys, l.Key)
		return
	}
	if screen, ok := c.screen.(LineScreen); ok {
		screen.ShowLine(l)
	}
}

// isRefusal reports whether an error is the supervisor's answer. The supervisor would refuse the
// same call again.
func isRefusal(err error) bool {
	var wire *protocol.Error
	var refused *supervisor.Error
	return errors.As(err, &wire) || errors.As(err, &refused)
}
