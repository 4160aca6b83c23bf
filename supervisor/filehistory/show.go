package filehistory

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"path"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// maxShown is the most UTF-16 units of a version that is shown as text.
const maxShown = 3500

// showVersion shows a version of a file. It sends a long version, or one that is no text, as a file.
func (h *FileHistory) showVersion(ctx context.Context, r feature.CommandRequest, asked request, _, point int64) (
	d supervisor.Delivery, err error) {
	result, err := h.run(ctx, r.Conversation.User, 0, asked.parameters(protocol.FileHistoryShow, point))
	if err != nil {
		return d, err
	}
	name, at := markdown.EscapeName(asked.path), h.momentText(r.Conversation.User, asked, result.Version)
	if result.Blob == nil || result.Blob.Size == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textEmptyVersion, name, at)}, nil
	}
	text := make([]byte, min(result.Blob.Size, maxShown*utf8.UTFMax))
	if _, _, err := h.Spool.ReadAt(result.Blob.SHA256, text, 0); err != nil {
		return d, fmt.Errorf("read an earlier version: %w", err)
	}
	if result.Blob.Size == int64(len(text)) && utf8.Valid(text) && supervisor.UTF16Length(string(text)) <= maxShown {
		return supervisor.Delivery{Text: fmt.Sprintf(textVersion, name, at) + markdown.FenceText(string(text))}, nil
	}
	d.Text = fmt.Sprintf(textLongVersion, name, at)
	if !r.Conversation.Channel.Capabilities().Files {
		d.Text += textPrintIt
	}
	d.Files = []supervisor.File{{SHA256: result.Blob.SHA256, Size: result.Blob.Size,
		Name:      protocol.SafeFileName(path.Base(asked.path)),
		MediaType: cmp.Or(mime.TypeByExtension(path.Ext(asked.path)), "application/octet-stream")}}
	return d, nil
}

// compare shows the difference between a version of a file and the file now.
func (h *FileHistory) compare(ctx context.Context, r feature.CommandRequest, asked request, _, point int64) (
	d supervisor.Delivery, err error) {
	result, err := h.run(ctx, r.Conversation.User, 0, asked.parameters(protocol.FileHistoryDiff, point))
	switch {
	case err != nil:
		return d, err
	case result.Blob == nil:
		return supervisor.Delivery{Text: fmt.Sprintf(textSame, markdown.EscapeName(asked.path))}, nil
	}
	return h.ShowDiff(*result.Blob)
}

// atUnlessPoint returns the moment for an operation. It is zero if the operation has a point.
func atUnlessPoint(at time.Time, point int64) time.Time {
	if point > 0 {
		return time.Time{}
	}
	return at
}

// momentText returns the moment of a request. If the request has none, it returns that of a
// version.
func (h *FileHistory) momentText(user string, asked request, v *protocol.FileVersion) string {
	at := asked.at
	if at.IsZero() && v != nil {
		if at = v.At; at.IsZero() {
			return fmt.Sprintf(textAtVersion, v.Point)
		}
	}
	return at.In(h.Zone(user)).Format(timeLayout)
}
