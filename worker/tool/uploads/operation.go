package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

// Blobs stores the bytes of a file to be sent.
type Blobs interface {
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// RunOperation runs an operation of kind protocol.OperationUploads.
func RunOperation(ctx context.Context, p protocol.UploadsParameters, ws *workspace.Workspace, zone *time.Location,
	blobs Blobs) (result protocol.UploadsResult, err error) {
	u := &uploads{ws: ws, now: time.Now, zone: zone}
	if p.Action == protocol.UploadedFilesActionRead {
		path, _ := ws.SimilarPath(p.Path)
		blob, err := u.keep(ctx, path, blobs)
		if errors.Is(err, fs.ErrNotExist) {
			return protocol.UploadsResult{}, nil
		}
		if path != p.Path {
			result.Path = path
		}
		result.Blob = blob
		return result, err
	}
	var found []protocol.Upload
	err = u.walk(ctx, func(e workspace.Entry) {
		found = append(found, protocol.Upload{Path: e.Path, Size: e.Info.Size(), SentAt: u.sentAt(e)})
	})
	if err != nil {
		return result, err
	}
	slices.Reverse(found)
	result.Total = len(found)
	i := slices.IndexFunc(found, func(f protocol.Upload) bool { return protocol.UploadKey(f.Path) == p.Key })
	if p.Action == protocol.UploadedFilesActionList {
		result.From = i + 1
		if i < 0 {
			// limit the offset, so that the page is not empty
			result.From = min(max(p.Offset, 0), max(0, len(found)-protocol.UploadsPageSize))
		}
		result.Files = found[result.From:min(result.From+protocol.UploadsPageSize, len(found))]
		return result, nil
	}
	if i < 0 {
		return result, nil
	}
	result.Files = found[i : i+1]
	switch p.Action {
	case protocol.UploadedFilesActionSend:
		result.Blob, err = u.keep(ctx, found[i].Path, blobs)
	case protocol.UploadedFilesActionDelete:
		_, err = u.delete(ctx, worker.Call{}, deleteArgs{Path: found[i].Path})
	case protocol.UploadedFilesActionRemove:
		err = ws.RemoveUpload(found[i].Path)
	default:
		err = fmt.Errorf("there is no action %.20q", p.Action)
	}
	return result, err
}

// keep stores the bytes of a file.
func (u *uploads) keep(ctx context.Context, path string, blobs Blobs) (*protocol.BlobRef, error) {
	f, err := u.ws.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	ref, err := blobs.StoreBlob(ctx, f, protocol.MaxSentFileBytes)
	return &ref, err
}
