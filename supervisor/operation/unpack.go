package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"mews/protocol"
	"mews/supervisor/pool"
)

// UnpackReport says what was written into a home.
type UnpackReport struct {
	NotEmpty bool // nothing was written, because the home is not empty
	Files    int64
	Bytes    int64
	LeftOut  []string // a line for each member of the archive that was not written
}

// UnpackHome lets a worker write an archive into a user's empty home, and waits. It leaves out the
// files whose paths have a SHA-256 in without, at most protocol.MaxUnpackWithout. The worker's host
// must give it the archive by blob.read. A repeat after a crash writes all files again. The errors
// are for people.
func (o *Operations[H]) UnpackHome(ctx context.Context, user string, archive protocol.BlobRef,
	without []string) (UnpackReport, error) {
	// encoding these parameters can't fail
	parameters, _ := json.Marshal(protocol.UnpackParameters{Blob: archive, Without: without})
	id, raw, err := o.runOnce(ctx, user, pool.ProfileHome, protocol.OperationKindUnpack, string(parameters))
	o.DeleteBlobs(id)
	if err != nil {
		return UnpackReport{}, err
	}
	var result protocol.UnpackResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return UnpackReport{}, fmt.Errorf("read the result of unpacking into the home of %s: %w", user, err)
	}
	return UnpackReport{result.NotEmpty, result.Files, result.Bytes,
		leftOutLines(result.LeftOut, result.LeftOutMore)}, nil
}
