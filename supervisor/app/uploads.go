package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
)

// uploads are people's own files for the commands. Their workers see to them.
type uploads struct{ *service }

// List lists the newest files behind one, or else behind so many.
func (u uploads) List(ctx context.Context, user, key string, offset int) (protocol.UploadsResult, error) {
	return u.operate(ctx, user, protocol.UploadsParameters{Action: protocol.UploadsList, Key: key, Offset: offset})
}

// Send has a file's bytes be in the spool.
func (u uploads) Send(ctx context.Context, user, key string) (file supervisor.File, err error) {
	result, err := u.operate(ctx, user, protocol.UploadsParameters{Action: protocol.UploadsSend, Key: key})
	if err != nil || len(result.Files) == 0 || result.Blob == nil {
		return file, err
	}
	file = supervisor.File{SHA256: result.Blob.SHA256, Size: result.Blob.Size, Name: protocol.FileName(path.Base(result.Files[0].Path)),
		Media: result.Size}
	file.MediaType, err = hostcall.MediaType(u.spool, file)
	return file, err
}

// Delete puts a file into the trash.
func (u uploads) Delete(ctx context.Context, user, key string) (string, error) {
	result, err := u.operate(ctx, user, protocol.UploadsParameters{Action: protocol.UploadsDelete, Key: key})
	if err != nil || len(result.Files) == 0 {
		return "", err
	}
	return result.Files[0].Path, nil
}

// operate has a person's worker do something with their files.
func (u uploads) operate(ctx context.Context, user string, p protocol.UploadsParameters) (result protocol.UploadsResult, err error) {
	parameters, _ := json.Marshal(p) // which always can be
	op, err := u.operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationUploads, Parameters: string(parameters)})
	if err == nil {
		op, err = u.operations.Wait(ctx, op.ID)
	}
	if err != nil {
		return result, fmt.Errorf("%s files of %s: %w", p.Action, user, err)
	}
	if op.State != supervisor.OperationDone {
		return result, supervisor.Errorf(supervisor.CodeUnavailable, textUploadsFailed, op.Result)
	}
	return result, json.Unmarshal([]byte(op.Result), &result)
}
