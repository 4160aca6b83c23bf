package hostcall

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/spool"
)

// ChatDependencies are what sending files needs. Where one of them is nil, no files are sent.
type ChatDependencies struct {
	Approver Approver
	Sender   Sender
}

// Approver says whether an effect may leave the walls; nil is that it may. It may take as long as a person needs to answer.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Sender sends files to the chat of a turn's conversation.
type Sender interface {
	// SendFile has a file delivered, on disk before it returns. A call sends once: for one that has sent before, nothing
	// happens, whatever the file is now. It refuses a call that has a result and bytes that are not the person's.
	SendFile(ctx context.Context, turn int64, call string, f supervisor.File) error
	// Sent says whether a call has sent its file.
	Sent(ctx context.Context, turn int64, call string) (bool, error)
}

var chatRows = []row{
	{method: protocol.MethodChatSend, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat}, limit: protocol.MaxFiles,
		serial: true, handler: turnCall((*turn).sendFile)},
}

// toolSend is the tool whose calls may send files.
const toolSend = "send_file"

// sendFile sends a blob of the person's to the chat that their turn belongs to. A call is made again when its turn is gone on
// with after a crash: then it waits for the answer to what the person was asked before, or is done if its file was sent.
func (t *turn) sendFile(ctx context.Context, p *protocol.ChatSend) (*protocol.ChatSent, error) {
	if err := t.checkSend(p); err != nil {
		return nil, offence{err}
	}
	if t.o.Approver == nil || t.o.Sender == nil {
		return nil, refused("this Mews sends no files")
	}
	sent, err := t.o.Sender.Sent(ctx, t.ID, p.Call)
	if sent || err != nil { // before a crash, so that nobody is asked about it again
		return &protocol.ChatSent{}, err
	}
	if err := t.checkBlob(ctx, p.Blob.SHA256, p.Blob.Size); err != nil {
		return nil, err
	}
	file := supervisor.File{SHA256: p.Blob.SHA256, Size: p.Blob.Size, Name: p.Name, Caption: p.Caption}
	file.MediaType, err = mediaType(t.o.Spool, file)
	switch {
	case errors.Is(err, spool.ErrGone):
		return nil, refused("the file is not kept any more; send it again")
	case err != nil:
		return nil, fmt.Errorf("look what sort of file is to be sent: %w", err)
	}
	if err := t.o.Approver.Allow(ctx, t.approvalRequest(p.Call, file)); err != nil {
		return nil, fmt.Errorf("ask whether a file may be sent: %w", err)
	}
	return &protocol.ChatSent{}, t.commit(ctx, func() error { return t.o.Sender.SendFile(ctx, t.ID, p.Call, file) })
}

// checkSend says what is wrong with a file that no honest worker sends.
func (t *turn) checkSend(p *protocol.ChatSend) error {
	switch tool, known := t.openCalls.find(p.Call); {
	case len(p.Call) > maxName:
		return fmt.Errorf("call: %d bytes, at most %d", len(p.Call), maxName)
	case !known || tool != toolSend:
		return fmt.Errorf("call %s: not one of %s", printable(p.Call, maxName), toolSend)
	}
	return p.Check()
}

// approvalRequest is what the person is asked where the rules say so: about these bytes, under this name and with these words,
// in this conversation.
func (t *turn) approvalRequest(call string, f supervisor.File) approval.Request {
	text := fmt.Sprintf(textMaySend, quoteWords(f.Name), f.MediaType, amount.Of(f.Size, "byte", "bytes"))
	if f.Caption != "" {
		text += fmt.Sprintf(textCaption, quoteWords(f.Caption))
	}
	return approval.Request{
		User: t.user, Conversation: supervisor.Conversation{ID: t.Destination, User: t.user}, Turn: t.ID, Call: call,
		Effect:    approval.EffectSendFile,
		Arguments: []string{strconv.FormatInt(t.Destination, 10), f.Name, f.MediaType, f.Caption},
		Content:   f.SHA256, Text: text,
	}
}

// quoteWords is a model's words in a text that the service says, as Markdown: they change nothing of it.
func quoteWords(words string) string {
	return "`" + strings.Join(strings.Fields(strings.ReplaceAll(words, "`", "'")), " ") + "`"
}
