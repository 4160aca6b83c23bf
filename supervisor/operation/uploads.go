package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"mews/protocol"
	"mews/supervisor"
)

// Uploads are the files that users have sent. The users' workers keep them.
type Uploads struct {
	Do        func(ctx context.Context, user string, p protocol.UploadsParameters) (protocol.UploadsResult, error)
	MediaType func(supervisor.File) (string, error) // returns the type of a file in the spool
	Deleted   func(user, path string)               // told of each deleted file; nil is told nothing
}

// List lists the newest files after the file with key. If that file is gone, it skips offset files.
func (u Uploads) List(ctx context.Context, user, key string, offset int) (protocol.UploadsResult, error) {
	return u.Do(ctx, user, protocol.UploadsParameters{Action: protocol.UploadedFilesActionList, Key: key,
		Offset: offset})
}

// Send copies a file into the spool.
func (u Uploads) Send(ctx context.Context, user, key string) (file supervisor.File, err error) {
	result, err := u.Do(ctx, user, protocol.UploadsParameters{Action: protocol.UploadedFilesActionSend, Key: key})
	if err != nil || len(result.Files) == 0 || result.Blob == nil {
		return file, err
	}
	file = supervisor.File{SHA256: result.Blob.SHA256, Size: result.Blob.Size,
		Name: protocol.SafeFileName(path.Base(result.Files[0].Path)), Media: result.Size}
	file.MediaType, err = u.MediaType(file)
	return file, err
}

// Delete moves a file to the trash.
func (u Uploads) Delete(ctx context.Context, user, key string) (string, error) {
	result, err := u.Do(ctx, user, protocol.UploadsParameters{Action: protocol.UploadedFilesActionDelete, Key: key})
	if err != nil || len(result.Files) == 0 {
		return "", err
	}
	if u.Deleted != nil {
		u.Deleted(user, result.Files[0].Path)
	}
	return result.Files[0].Path, nil
}

// ManageUploads lets a user's worker list, send or delete the files that the user has sent.
func (o *Operations[H]) ManageUploads(ctx context.Context, user string, p protocol.UploadsParameters) (
	result protocol.UploadsResult, err error) {
	parameters, _ := json.Marshal(p) // encoding these parameters can't fail
	op, err := o.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindUploads,
		Parameters: string(parameters)})
	if err == nil {
		op, err = o.Wait(ctx, op.ID)
	}
	if err != nil {
		return result, fmt.Errorf("%s files of %s: %w", p.Action, user, err)
	}
	if op.State != supervisor.OperationDone {
		return result, supervisor.Errorf(supervisor.CodeUnavailable, textUploadsFailed, op.Result)
	}
	return result, json.Unmarshal([]byte(op.Result), &result)
}
