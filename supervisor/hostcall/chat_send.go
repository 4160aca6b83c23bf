package hostcall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
)

// ChatDependencies holds the approver, the sender and the asker. Files and messages are sent only
// if Approver and Sender are set. Questions are asked only if Asker is set.
type ChatDependencies struct {
	Approver Approver
	Sender   Sender
	Asker    Asker
	// Groups decides what other people of a group may read. nil means that there are no groups.
	Groups GroupGuard
	// PrivateChat returns the chat that only the user reads.
	PrivateChat func(ctx context.Context, user string) (supervisor.Conversation, error)
}

// GroupGuard decides whether the other people of a group may read what a turn says.
type GroupGuard interface {
	// FindRule returns the rule for what a turn says in a conversation.
	FindRule(ctx context.Context, turn int64, in supervisor.Conversation) (approval.Rule, error)
	// IsGroup reports whether other people read a conversation.
	IsGroup(ctx context.Context, in supervisor.Conversation) (bool, error)
}

// Approver decides whether an effect may leave the sandbox. It may wait for a user's answer.
// Without an Approver nothing is sent.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Sender sends messages to the chat of a turn.
type Sender interface {
	// Send stores the text and files of d for delivery before it returns. Each tool call sends
	// once. If the call has already sent something, even other contents, Send does nothing. Send
	// refuses a call that has a result, and files that the user does not own.
	Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) error
	// WasMessageSent reports whether a tool call has sent a message.
	WasMessageSent(ctx context.Context, turn int64, call string) (bool, error)
}

var chatRows = []row{
	{method: protocol.MethodChatSend, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat},
		limit:  protocol.MaxSendCallsPerTurn,
		serial: true, handler: turnCall((*turn).sendFiles)},
	{method: protocol.MethodChatMessage, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat}, bytes: shortParams,
		limit: protocol.MaxMessagesPerTurn, serial: true, handler: turnCall((*turn).sendMessage)},
}

// Names of the tools that may send files or messages.
const (
	toolSendFile    = "send_file"
	toolSendMessage = "send_message"
)

// sendFiles sends blobs of the user to the chat of the turn, if the user approves. If the turn
// resumes after a crash, the worker makes the same call again. If the files were already sent,
// sendFiles then does nothing. Otherwise it waits for the answer to the question that it asked
// before the crash.
func (t *turn) sendFiles(ctx context.Context, p *protocol.ChatSendParams) (*protocol.ChatSendResult, error) {
	if err := cmp.Or(t.checkCall(p.Call, toolSendFile), p.Validate()); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	sent, err := t.sentBefore(ctx, p.Call)
	if sent || err != nil {
		return &protocol.ChatSendResult{}, err
	}
	var files []supervisor.File
	for _, f := range p.Files() {
		file, err := t.file(ctx, f)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	request := t.approvalRequest(p.Call, files)
	if t.o.Groups != nil {
		if request.InGroup, err = t.o.Groups.IsGroup(ctx, request.Conversation); err != nil {
			return nil, err
		}
	}
	if err := t.o.Approver.Allow(ctx, request); err != nil {
		return nil, fmt.Errorf("ask whether a file may be sent: %w", err)
	}
	return &protocol.ChatSendResult{}, t.deliver(ctx, p.Call, supervisor.Delivery{Files: files})
}

// sendMessage sends the text of a tool call to the turn's chat. The worker names only the call, and
// the text comes from the transcript.
func (t *turn) sendMessage(ctx context.Context, p *protocol.ChatMessageParams) (*protocol.ChatSendResult, error) {
	if err := t.checkCall(p.Call, toolSendMessage); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	sent, err := t.sentBefore(ctx, p.Call)
	if sent || err != nil {
		return &protocol.ChatSendResult{}, err
	}
	call, _ := t.openCalls.find(p.Call)
	var arguments protocol.ChatMessageArguments
	switch err := json.Unmarshal(call.Arguments, &arguments); {
	case err != nil || strings.TrimSpace(arguments.Text) == "":
		return nil, feature.NewRefusal("there is no text to send")
	case len(arguments.Text) > protocol.MaxSentMessageBytes:
		return nil, feature.NewRefusal("the text has more than %d KiB; say it in your answer",
			protocol.MaxSentMessageBytes>>10)
	}
	if err := t.allowWords(ctx, p.Call, arguments.Text); err != nil {
		return nil, err
	}
	return &protocol.ChatSendResult{}, t.deliver(ctx, p.Call, supervisor.Delivery{Text: arguments.Text})
}

// allowWords returns nil if a tool call may say something in the turn's chat. In a group, the user
// may have to see the words in private first.
func (t *turn) allowWords(ctx context.Context, call, words string) error {
	hides, err := t.hidesFromGroup(ctx)
	if err != nil || !hides {
		return err
	}
	private, err := t.o.PrivateChat(ctx, t.user)
	if err != nil {
		return err
	}
	return t.o.Approver.Allow(ctx, approval.Request{User: t.user, Conversation: private, Turn: t.ID, Call: call,
		Effect: approval.EffectAnswerInGroup, Arguments: []string{strconv.FormatInt(t.Destination, 10), words},
		Text: fmt.Sprintf(textMaySayInGroup, words), InGroup: true})
}

// hidesFromGroup reports whether a group may not read what the turn says before its user has.
func (t *turn) hidesFromGroup(ctx context.Context) (bool, error) {
	if t.o.Groups == nil || t.Kind.IsOneShot() {
		return false, nil
	}
	rule, err := t.o.Groups.FindRule(ctx, t.ID, supervisor.Conversation{ID: t.Destination, User: t.user})
	return rule != approval.RuleAllow, err
}

// sentBefore reports whether a call has sent something before a crash. If so, the user is not asked
// again.
func (t *turn) sentBefore(ctx context.Context, call string) (bool, error) {
	if t.o.Approver == nil || t.o.Sender == nil {
		return false, feature.NewRefusal("this Mews sends nothing")
	}
	return t.o.Sender.WasMessageSent(ctx, t.ID, call)
}

func (t *turn) deliver(ctx context.Context, call string, d supervisor.Delivery) error {
	return t.commit(ctx, func() error { return t.o.Sender.Send(ctx, t.ID, call, d) })
}

// file returns a blob as the file to send.
func (t *turn) file(ctx context.Context, f protocol.ChatFile) (file supervisor.File, err error) {
	if err := t.checkBlob(ctx, f.Blob.SHA256, f.Blob.Size); err != nil {
		return file, err
	}
	file = supervisor.File{SHA256: f.Blob.SHA256, Size: f.Blob.Size, Name: f.Name, Caption: f.Caption, Path: f.Path, Media: f.Size}
	file.MediaType, err = DetectMediaType(t.o.Spool, file)
	switch {
	case errors.Is(err, spool.ErrBlobGone):
		return file, feature.NewRefusal("the file is not kept any more; send it again")
	case err != nil:
		return file, fmt.Errorf("look what sort of file is to be sent: %w", err)
	}
	return file, nil
}

// checkCall returns an error unless the call is open and uses the given tool. An honest worker
// names only such calls.
func (t *turn) checkCall(id, tool string) error {
	switch call, known := t.openCalls.find(id); {
	case len(id) > maxName:
		return fmt.Errorf("call: %d bytes, at most %d", len(id), maxName)
	case !known || call.Name != tool:
		return fmt.Errorf("call %s: not one of %s", printable(id, maxName), tool)
	}
	return nil
}

// approvalRequest returns the request to approve these files for this conversation, with their
// names and captions.
func (t *turn) approvalRequest(call string, files []supervisor.File) approval.Request {
	r := approval.Request{
		User: t.user, Conversation: supervisor.Conversation{ID: t.Destination, User: t.user}, Turn: t.ID, Call: call,
		Effect: approval.EffectSendFile, Arguments: []string{strconv.FormatInt(t.Destination, 10)}, Content: files[0].SHA256,
	}
	for i, f := range files {
		text := textMaySend
		if i > 0 {
			text = textMaySendToo
			r.Arguments = append(r.Arguments, f.SHA256)
		}
		r.Arguments = append(r.Arguments, f.Name, f.MediaType, f.Caption)
		r.Text += fmt.Sprintf(text, quoteWords(f.Name), f.MediaType, amount.Plural(f.Size, "byte", "bytes"))
		if f.Caption != "" {
			r.Text += fmt.Sprintf(textCaption, quoteWords(f.Caption))
		}
	}
	return r
}

// quoteWords escapes a model's words, so that they can't change the Markdown around them.
func quoteWords(words string) string {
	return "`" + strings.Join(strings.Fields(strings.ReplaceAll(words, "`", "'")), " ") + "`"
}
