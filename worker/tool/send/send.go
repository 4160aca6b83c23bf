// Package send has the tool with which a model sends a file of the person's folder to the chat.
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
	"mews/worker/workspace"
)

// Chat is where the file goes.
type Chat interface {
	// Keep has the supervisor store what is read, at most so many bytes.
	Keep(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
	// SendFile has a stored file sent. It waits for the person if they must be asked. Its error says why nothing was sent.
	SendFile(ctx context.Context, file protocol.ChatSend) error
}

var sendSpec = worker.Spec{
	Name:        "send_file",
	Description: "Send a file of the folder to the person's chat. They may be asked first.",
	Effect:      protocol.EffectIdempotent, // for the same call: see protocol.MethodChatSend
	Properties:  `{"path":{"type":"string"},"caption":{"type":"string"}}`,
	Required:    `["path"]`,
}

type sendArgs struct {
	Path    string `json:"path"`
	Caption string `json:"caption"`
}

// Tools makes the family for one turn, over a workspace that stays the caller's to close.
func Tools(ws *workspace.Workspace, chat Chat) []worker.Tool {
	s := &sender{ws: ws, chat: chat}
	return []worker.Tool{
		worker.Define(sendSpec, sendArgs{}, s.send),
	}
}

// sender sends the files of one turn.
type sender struct {
	ws   *workspace.Workspace
	chat Chat
	// asked is how many files the supervisor was asked to send. One call at a time counts here, as the tool has an effect.
	asked int
}

func (s *sender) send(ctx context.Context, call worker.Call, args sendArgs) (worker.Result, error) {
	shown := workspace.Show(args.Path)
	caption := cleanCaption(args.Caption)
	if err := protocol.CheckCaption(caption); err != nil {
		return worker.Result{}, fmt.Errorf("send %s: the caption: %w; say the rest in your answer", shown, err)
	}
	path, err := s.ws.Clean(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	blob, err := s.keep(ctx, args.Path)
	if err != nil {
		return worker.Result{}, sendError(ctx, shown, err)
	}
	file := protocol.ChatSend{Call: call.ID, Blob: blob, Name: protocol.FileName(path), Caption: caption}
	if s.asked >= protocol.MaxFiles { // the supervisor would end this worker for one more
		return worker.Result{}, fmt.Errorf("send %s: %d files were sent in this turn, and no more can be; pack the rest into one "+
			"file, or tell the person to ask again for it", shown, protocol.MaxFiles)
	}
	s.asked++
	call.Progress("sending " + file.Name)
	if err := s.chat.SendFile(ctx, file); err != nil {
		return worker.Result{}, sendError(ctx, shown, err)
	}
	size := amount.Bytes(blob.Size)
	return worker.Result{Text: fmt.Sprintf("%s was sent to the chat as %s, %s.", shown, file.Name, size), Brief: size}, nil
}

// keep has the supervisor store a file.
func (s *sender) keep(ctx context.Context, path string) (ref protocol.BlobRef, err error) {
	f, err := s.ws.Open(path)
	if err != nil {
		return ref, err
	}
	defer f.Close() // it was only read
	info, err := f.Stat()
	if err != nil {
		return ref, err
	}
	if err := checkSize(info); err != nil {
		return ref, err
	}
	return s.chat.Keep(ctx, f, protocol.MaxFile)
}

func checkSize(info fs.FileInfo) error {
	switch n := info.Size(); {
	case n == 0:
		return errors.New("it is empty, and an empty file can't be sent")
	case n > protocol.MaxFile:
		return fmt.Errorf("it has %s, and at most %s can be sent; make it smaller or send it in parts", amount.Bytes(n), amount.Bytes(protocol.MaxFile))
	}
	return nil
}

// sendError says to the model and the person why nothing was sent.
func sendError(ctx context.Context, shown string, err error) error {
	var known *workspace.Error
	var refused *protocol.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &refused):
		err = errors.New(refused.Message)
	}
	return fmt.Errorf("send %s: not sent: %w", shown, err)
}

// cleanCaption is a caption without control characters, which are slips of a model.
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
