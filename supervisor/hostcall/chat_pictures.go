package hostcall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// sendPictures sends pictures that a tool call has left in the charts folder. The user did not ask
// for them by name, so none goes to a group, and no question is asked: a program must not run again
// because its turn waited for an answer.
func (t *turn) sendPictures(ctx context.Context, p *protocol.ChatPicturesParams) (*protocol.ChatPicturesResult, error) {
	if err := cmp.Or(t.checkPictureCall(p.Call), p.Validate()); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	sent, err := t.sentBefore(ctx, p.Call)
	if sent || err != nil {
		return &protocol.ChatPicturesResult{}, err
	}
	inGroup, err := t.isInGroup(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the destination of pictures: %w", err)
	case inGroup:
		return &protocol.ChatPicturesResult{Unsent: textNoPicturesInGroup}, nil
	}
	files, err := t.pictureFiles(ctx, p.Files)
	if err != nil {
		return nil, err
	}
	request := t.approvalRequest(p.Call, files)
	request.Unasked = true
	err = t.o.Approver.Allow(ctx, request)
	if denied := (*supervisor.Error)(nil); errors.As(err, &denied) && denied.Code == supervisor.CodeForbidden {
		return &protocol.ChatPicturesResult{Unsent: denied.Message}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look whether pictures may be sent: %w", err)
	}
	return &protocol.ChatPicturesResult{}, t.deliver(ctx, p.Call, supervisor.Delivery{Files: files})
}

// checkPictureCall returns an error unless the call is open and its tool may leave pictures.
func (t *turn) checkPictureCall(id string) error {
	call, known := t.openCalls.find(id)
	if len(id) > maxName || !known || !slices.Contains(protocol.PictureTools, call.Name) {
		return fmt.Errorf("call %s: it leaves no pictures", printable(id, maxName))
	}
	return nil
}

// pictureFiles returns the blobs as files to send.
func (t *turn) pictureFiles(ctx context.Context, list []protocol.ChatFile) (files []supervisor.File, err error) {
	for _, f := range list {
		file, err := t.file(ctx, f)
		if err != nil {
			return nil, err
		}
		if file.MediaType != "image/png" && file.MediaType != "image/jpeg" {
			return nil, feature.NewRefusal("%s is no PNG or JPEG picture", f.Name)
		}
		files = append(files, file)
	}
	return files, nil
}
