package send

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/workspace"
)

// PictureSender sends the pictures that tools leave in the charts folder, for one turn.
type PictureSender struct {
	sender
	calls int // number of calls of chat.pictures; it needs no lock, because calls of these tools run one at a time
}

// NewPictureSender makes the sender for one turn. The caller closes the workspace.
func NewPictureSender(ws *workspace.Workspace, turn Host, measure MeasureMediaFunc) *PictureSender {
	return &PictureSender{sender: sender{ws: ws, turn: turn, measure: measure}}
}

// WithPictures makes a tool send the pictures that its calls leave in the charts folder. It changes
// only tools of protocol.PictureTools.
func (s *PictureSender) WithPictures(tool worker.Tool) worker.Tool {
	if !slices.Contains(protocol.PictureTools, tool.Name) {
		return tool
	}
	run := tool.Run
	tool.Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
		result, err := run(ctx, call)
		if err != nil {
			return result, err
		}
		note, sent := s.send(ctx, call, result.Changes)
		if note == "" || ctx.Err() != nil {
			return result, nil
		}
		// a program's result begins with how it ended
		first, rest, _ := strings.Cut(result.Text, "\n")
		result.Text = strings.TrimSuffix(first+"\n"+note+rest, "\n")
		if sent > 0 {
			result.Brief += ", " + amount.Plural(sent, "picture sent", "pictures sent")
		}
		return result, nil
	}
	return tool
}

// send sends the first pictures among the changes. The note tells the model which were sent, and why
// others were not.
func (s *PictureSender) send(ctx context.Context, call worker.Call, changes []protocol.Change) (note string, sent int) {
	var files []protocol.ChatFile
	var names, unsent []string
	for _, c := range changes {
		if c.Kind != "write" || !protocol.IsChartPath(c.Target) || !s.isPicture(c.Target) {
			continue
		}
		if len(files) == protocol.MaxPicturesPerCall {
			unsent = append(unsent, workspace.QuotePath(c.Target))
			continue
		}
		file, err := s.storeFile(ctx, c.Target)
		if err != nil {
			note += err.Error() + "\n"
			continue
		}
		files, names = append(files, file), append(names, workspace.QuotePath(c.Target))
	}
	if len(files) == 0 {
		return note, 0
	}
	if why := s.sendFiles(ctx, call, files); why != "" {
		return note + fmt.Sprintf("not sent: %s: %s\n", strings.Join(append(names, unsent...), ", "), why), 0
	}
	note += fmt.Sprintf("sent to the person's chat: %s\n", strings.Join(names, ", "))
	if len(unsent) > 0 {
		note += fmt.Sprintf("not sent, because %d is the most for a call: %s; send_file sends them\n",
			protocol.MaxPicturesPerCall,
			strings.Join(unsent, ", "))
	}
	return note, len(files)
}

// sendFiles returns why the pictures were not sent; "" means that they were.
func (s *PictureSender) sendFiles(ctx context.Context, call worker.Call, files []protocol.ChatFile) string {
	if s.calls >= protocol.MaxPictureCallsPerTurn { // for one more call the supervisor would end this worker
		return fmt.Sprintf("%d calls have sent pictures in this turn, which is the most; send_file sends them", s.calls)
	}
	s.calls++
	result, err := host.CallMethod[protocol.ChatPicturesResult](ctx, s.turn, protocol.MethodChatPictures,
		protocol.ChatPicturesParams{Call: call.ID, Files: files})
	if err != nil {
		return host.ExplainRefusal(err).Error()
	}
	if result.Unsent != "" {
		return result.Unsent
	}
	return ""
}

// pictureHeads are the first bytes of PNG and JPEG files.
var pictureHeads = [][]byte{[]byte("\x89PNG\r\n\x1a\n"), {0xff, 0xd8, 0xff}}

// isPicture reports whether a file begins like a picture. Files of other contents may have the name
// of a picture.
func (s *PictureSender) isPicture(path string) bool {
	f, err := s.ws.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	head, err := io.ReadAll(io.LimitReader(f, 8))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(pictureHeads, func(of []byte) bool { return bytes.HasPrefix(head, of) })
}
