// Package send has the tools that send files and messages to the chat before the answer.
package send

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/workspace"
)

// Host makes the calls of the turn and stores files. A call's error explains why nothing was sent.
// Sending a file may wait for the user's approval.
type Host interface {
	host.Caller
	// StoreBlob asks the supervisor to store r. The argument most is the maximum size in bytes.
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

var sendSpec = worker.ToolSpec{
	Name:        "send_file",
	Description: "Send a file of the folder to the person's chat. They may be asked first.",
	Effect:      protocol.EffectIdempotent, // a repeated call changes nothing more: see protocol.MethodChatSend
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
		{Name: "caption", Type: worker.StringArgument},
		{Name: "more", Type: worker.StringListArgument, Description: "further paths; pictures become one album"},
	},
}

var messageSpec = worker.ToolSpec{
	Name:        "send_message",
	Family:      "chat",
	Description: "Say something to the person now, ahead of your answer. Markdown.",
	Effect:      protocol.EffectIdempotent, // a repeated call changes nothing more: see protocol.MethodChatMessage
	Arguments: []worker.Argument{
		{Name: "text", Type: worker.StringArgument, Required: true},
	},
}

type sendArgs struct {
	Path    string   `json:"path"`
	Caption string   `json:"caption"`
	More    []string `json:"more"`
}

// MeasureMediaFunc returns the length and size of a recording or film; zero for any other file.
type MeasureMediaFunc func(ctx context.Context, path string) protocol.MediaSize

// Tools makes the tools for one turn. The caller closes the workspace.
func Tools(ws *workspace.Workspace, turn Host, measure MeasureMediaFunc) []worker.Tool {
	s := &sender{ws: ws, turn: turn, measure: measure}
	return []worker.Tool{
		worker.DefineTool(sendSpec, sendArgs{}, s.send),
		worker.DefineTool(messageSpec, protocol.ChatMessageArguments{}, s.sendText),
	}
}

// sender sends files and messages for one turn.
type sender struct {
	ws      *workspace.Workspace
	turn    Host
	measure MeasureMediaFunc
	// asked is the number of calls that asked the supervisor to send files. It needs no lock,
	// because calls of a tool with an effect run one at a time.
	asked    int
	messages int // number of messages that the supervisor was asked to send
}

// sendText sends the message of a call. The supervisor has the arguments and checks them.
func (s *sender) sendText(
	ctx context.Context, call worker.Call, args protocol.ChatMessageArguments,
) (worker.Result, error) {
	if s.messages >= protocol.MaxMessagesPerTurn { // for one more message the supervisor would end this worker
		return worker.Result{}, fmt.Errorf("not sent: %d messages were queued in this turn, and no more can be; say it in your answer",
			protocol.MaxMessagesPerTurn)
	}
	s.messages++
	message := protocol.ChatMessageParams{Call: call.ID}
	if _, err := host.CallMethod[protocol.ChatSendResult](ctx, s.turn, protocol.MethodChatMessage,
		message); err != nil {
		return worker.Result{}, sendError(ctx, "the message", err)
	}
	return worker.Result{Text: "The message was queued.", Brief: amount.Plural(int64(len(args.Text)), "byte", "bytes")},
		nil
}

func (s *sender) send(ctx context.Context, call worker.Call, args sendArgs) (worker.Result, error) {
	notes := ""
	for _, path := range append([]*string{&args.Path}, pointers(args.More)...) {
		taken, note := s.ws.SimilarPath(*path)
		if *path = taken; note != "" {
			notes += note + "\n"
		}
	}
	shown := workspace.QuotePath(args.Path)
	caption := cleanCaption(args.Caption)
	if err := protocol.ValidateCaption(caption); err != nil {
		return worker.Result{}, fmt.Errorf("send %s: the caption: %w; say the rest in your answer", shown, err)
	}
	if n := 1 + len(args.More); n > protocol.MaxFilesPerCall {
		return worker.Result{}, fmt.Errorf("send %s: %d files, and at most %d can be sent at once", shown, n, protocol.MaxFilesPerCall)
	}
	var files []protocol.ChatFile
	size, names := int64(0), ""
	for _, path := range append([]string{args.Path}, args.More...) {
		file, err := s.storeFile(ctx, path)
		if err != nil {
			return worker.Result{}, err
		}
		files = append(files, file)
		size, names = size+file.Blob.Size, names+", "+file.Name
	}
	files[0].Caption = caption
	if s.asked >= protocol.MaxSendCallsPerTurn { // for one more call the supervisor would end this worker
		return worker.Result{}, fmt.Errorf("send %s: %d calls have sent files in this turn, which is the most; pack the rest into one "+
			"file, or tell the person to ask again for it", shown, protocol.MaxSendCallsPerTurn)
	}
	s.asked++
	names = names[len(", "):]
	call.Progress("sending " + names)
	send := protocol.ChatSendParams{Call: call.ID, ChatFile: files[0], More: files[1:]}
	if _, err := host.CallMethod[protocol.ChatSendResult](ctx, s.turn, protocol.MethodChatSend, send); err != nil {
		return worker.Result{}, sendError(ctx, shown, err)
	}
	sent := " was"
	if len(files) > 1 {
		sent = fmt.Sprintf(" and %d more were", len(files)-1)
	}
	return worker.Result{Text: notes + fmt.Sprintf("%s%s queued for the chat as %s, %s.", shown, sent, names,
		amount.FormatBytes(size)),
		Brief: amount.FormatBytes(size)}, nil
}

func pointers(list []string) (all []*string) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// storeFile stores a file of the folder before it is sent.
func (s *sender) storeFile(ctx context.Context, path string) (storeFile protocol.ChatFile, err error) {
	clean, err := s.ws.CleanPath(path)
	if err != nil {
		return storeFile, err
	}
	blob, err := s.keep(ctx, path)
	if err != nil {
		return storeFile, sendError(ctx, workspace.QuotePath(path), err)
	}
	storeFile = protocol.ChatFile{Blob: blob, Name: protocol.SafeFileName(clean), Size: s.measure(ctx, clean)}
	if fs.ValidPath(clean) && len(clean) <= protocol.MaxReceivedPathBytes {
		storeFile.Path = clean
	}
	return storeFile, nil
}

// keep stores the bytes of a file.
func (s *sender) keep(ctx context.Context, path string) (ref protocol.BlobRef, err error) {
	f, err := s.ws.Open(path)
	if err != nil {
		return ref, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err != nil {
		return ref, err
	}
	if err := checkSize(info); err != nil {
		return ref, err
	}
	return s.turn.StoreBlob(ctx, f, protocol.MaxSentFileBytes)
}

func checkSize(info fs.FileInfo) error {
	switch n := info.Size(); {
	case n == 0:
		return errors.New("it is empty, and an empty file can't be sent")
	case n > protocol.MaxSentFileBytes:
		return fmt.Errorf("it has %s, and at most %s can be sent; make it smaller or send it in parts",
			amount.FormatBytes(n), amount.FormatBytes(protocol.MaxSentFileBytes))
	}
	return nil
}

// sendError explains why nothing was sent.
func sendError(ctx context.Context, shown string, err error) error {
	var known *workspace.Error
	var refused *protocol.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &refused) && refused.Code == protocol.CodeWaitsForUser:
		return err // the user has not decided: the call will be repeated
	case errors.As(err, &refused):
		err = errors.New(refused.Message)
	}
	return fmt.Errorf("send %s: not sent: %w", shown, err)
}

// cleanCaption removes control characters from a caption. Such characters are errors of the model.
func cleanCaption(caption string) string {
	caption = strings.ReplaceAll(caption, "\r\n", "\n")
	caption = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, caption)
	return strings.TrimSpace(caption)
}
