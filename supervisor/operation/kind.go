package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor/pool"
)

// queueName is the queue in which an operation waits for a slot. The shortest recording comes
// first, and then the oldest operation; see request.
type queueName string

const (
	queueNow        queueName = "now"        // operations in the user's worker for which the user waits
	queueBackground queueName = "background" // long operations in the user's worker
	queueOneShot    queueName = "one-shot"   // operations that each get their own worker
	// checks and agendas in the user's worker; the callers limit their number
	queueCheck queueName = "look"
)

// kind has the properties of a kind of operations.
type kind struct {
	profile pool.WorkerProfile // profile of the operation's worker
	queue   queueName
	// how long committed blobs stay after the operation's end, unless they belong to the user
	keep   time.Duration
	bounds func(parameters string) (bounds, error)
	// tellsWhy means that the user reads the worker's reason why the operation failed.
	tellsWhy bool
	// check returns an error for a wrong result. An honest worker never sends a wrong result.
	check func(parameters string, result json.RawMessage, committed []protocol.BlobRef) error
}

// bounds are the limits of one operation.
type bounds struct {
	timeout  time.Duration // time for one attempt; for a recording, time until the first piece
	maxBytes int64         // greatest number of bytes of all committed blobs together
	maxBlobs int           // greatest number of committed blobs; 0 means no limit
	seconds  int           // length of the recording; 0 means no recording
	command  bool          // whether the operation is a check with a command
}

// kinds has a row for each kind of operation.
var kinds = map[protocol.OperationKind]kind{
	protocol.OperationKindArchive: {profile: pool.ProfileHome, queue: queueOneShot, keep: time.Hour, bounds: boundsOf(
		func(p protocol.ArchiveParameters) bounds {
			b := bounds{timeout: 30 * time.Minute, maxBytes: p.MaxBytes}
			if p.Backup { // compressing and sealing may add a little
				b.timeout, b.maxBytes = 2*time.Hour, p.MaxBytes+p.MaxBytes/256+1<<20
			}
			return b
		}), check: checkArchive},
	protocol.OperationKindLog: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(protocol.LogParameters) bounds {
			return bounds{timeout: time.Minute}
		}), check: func(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
			return protocol.DecodeStrict(raw, new(protocol.LogResult))
		}},
	protocol.OperationKindReceive: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(p protocol.ReceiveParameters) bounds {
			return bounds{timeout: 10 * time.Minute, maxBytes: 64 << 20, maxBlobs: protocol.MaxResultImages * len(p.Files)}
		}), check: checkReceive},
	protocol.OperationKindSpeak: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(protocol.SpeakParameters) bounds {
			return bounds{timeout: 3 * time.Minute, maxBytes: 16 << 20, maxBlobs: 1}
		}), check: checkSpeak},
	protocol.OperationKindMemory: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(p protocol.MemoryParameters) bounds {
			if p.Action == protocol.MemoryActionForget { // this may rewrite the whole file history
				return bounds{timeout: fileHistoryTimeout(protocol.FileHistoryForget)}
			}
			return bounds{timeout: time.Minute}
		}), check: checkMemory},
	protocol.OperationKindTodo: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(protocol.TodoParameters) bounds { return bounds{timeout: time.Minute} }),
		check:  checkTodo},
	protocol.OperationKindCalendar: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(protocol.CalendarParameters) bounds {
			return bounds{timeout: time.Minute, maxBytes: protocol.MaxCalendarBlob, maxBlobs: 1}
		}), check: func(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
			var result protocol.CalendarResult
			return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
		}},
	protocol.OperationKindUploads: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(p protocol.UploadsParameters) bounds {
			timeout := time.Minute
			if p.Action == protocol.UploadedFilesActionRemove {
				timeout = fileHistoryTimeout(protocol.FileHistoryForget)
			}
			return bounds{timeout: timeout, maxBytes: protocol.MaxSentFileBytes, maxBlobs: 1}
		}), check: checkUploads},
	protocol.OperationKindUndo: {profile: pool.ProfileUser, queue: queueNow,
		bounds: boundsOf(func(protocol.UndoParameters) bounds {
			return bounds{timeout: 15 * time.Minute, maxBytes: 256 << 20}
		}), check: checkUndo},
	protocol.OperationKindFileHistory: {profile: pool.ProfileUser, queue: queueNow, tellsWhy: true,
		bounds: boundsOf(func(p protocol.FileHistoryParameters) bounds {
			return bounds{timeout: fileHistoryTimeout(p.Action), maxBytes: protocol.MaxSentFileBytes, maxBlobs: 1}
		}), check: checkFileHistory},
	protocol.OperationKindTranscribe: {profile: pool.ProfileUser, queue: queueBackground, bounds: boundsOf(
		func(p protocol.TranscribeParameters) bounds {
			return bounds{timeout: pieceTimeout + time.Duration(p.Seconds)*time.Second/10, seconds: max(p.Seconds, 1)}
		}), check: checkTranscribe},
	// Operations of the kinds below are not stored. Only EraseHome, UnpackHome, CheckCondition,
	// ListAgenda and IndexHome begin them.
	protocol.OperationKindErase: {profile: pool.ProfileHome, queue: queueOneShot,
		bounds: boundsOf(func(p protocol.EraseParameters) bounds {
			return bounds{timeout: time.Duration(p.Seconds)*time.Second + eraseGrace}
		}), check: func(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
			var result protocol.EraseResult
			return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
		}},
	protocol.OperationKindUnpack: {profile: pool.ProfileHome, queue: queueOneShot, tellsWhy: true,
		bounds: boundsOf(func(p protocol.UnpackParameters) bounds {
			// the size also bounds the calls that read the archive
			return bounds{timeout: unpackTimeout, maxBytes: p.Blob.Size}
		}), check: func(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
			var result protocol.UnpackResult
			return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
		}},
	protocol.OperationKindCheck: {profile: pool.ProfileCheck, queue: queueCheck,
		bounds: boundsOf(func(p protocol.CheckParameters) bounds {
			return bounds{timeout: (protocol.MaxCheckSeconds + 15) * time.Second, command: p.Command != ""}
		}), check: checkCondition},
	protocol.OperationKindAgenda: {profile: pool.ProfileCheck, queue: queueCheck,
		bounds: boundsOf(func(protocol.AgendaParameters) bounds { return bounds{timeout: time.Minute} }),
		check: func(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
			var result protocol.AgendaResult
			return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
		}},
	protocol.OperationKindIndex: {profile: pool.ProfileUser, queue: queueBackground,
		bounds: boundsOf(func(protocol.IndexParameters) bounds {
			return bounds{timeout: 2 * time.Minute, maxBytes: protocol.MaxIndexCalls * protocol.MaxIndexBlobBytes,
				maxBlobs: protocol.MaxIndexCalls}
		}), check: checkIndex},
}

// fileHistoryTimeout returns the time for an action of the file history. Restoring or forgetting
// may rewrite the whole home or its history.
func fileHistoryTimeout(action protocol.FileHistoryAction) time.Duration {
	switch action {
	case protocol.FileHistoryRestore, protocol.FileHistoryForget:
		return 15 * time.Minute
	}
	return 3 * time.Minute
}

// unpackTimeout is the time to write an archive into a home. (100 GiB at 20 MiB/s take 85 min.)
const unpackTimeout = 3 * time.Hour

// eraseGrace is the time that a worker may take to stop erasing after its time is up.
const eraseGrace = 10 * time.Second

// pieceTimeout is the time for a piece, in addition to three times the piece's length. The first
// piece must begin within pieceTimeout. After the last piece the operation must end within
// pieceTimeout.
const pieceTimeout = time.Minute

// boundsOf returns a function that decodes parameters of type P and returns their limits.
func boundsOf[P any](of func(P) bounds) func(string) (bounds, error) {
	return func(parameters string) (bounds, error) {
		var p P
		err := protocol.DecodeStrict([]byte(parameters), &p)
		return of(p), err
	}
}

var errNotCommitted = errors.New("the result names a blob that was not committed")

func checkArchive(parameters string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var result protocol.ArchiveResult
	if err := protocol.DecodeStrict(raw, &result); err != nil {
		return err
	}
	var p protocol.ArchiveParameters
	err := protocol.DecodeStrict([]byte(parameters), &p)
	if result.Unchanged {
		if !p.Backup || p.Unless == "" || result.Digest != p.Unless {
			err = errors.Join(err, errors.New("the result has no archive"))
		}
	} else if !slices.Contains(committed, result.Blob) {
		return errNotCommitted
	}
	return errors.Join(err, result.Validate())
}

func checkIndex(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
	return protocol.DecodeStrict(raw, new(protocol.IndexResult))
}

func checkCondition(parameters string, raw json.RawMessage, _ []protocol.BlobRef) error {
	var p protocol.CheckParameters
	var result protocol.CheckResult
	err := errors.Join(protocol.DecodeStrict([]byte(parameters), &p), protocol.DecodeStrict(raw, &result),
		result.Validate())
	if got := result.File; (got != nil) != (p.PromptFile != "") || got != nil && got.Path != p.PromptFile {
		err = errors.Join(err, errors.New("the result is about another prompt file"))
	}
	return err
}

func checkReceive(parameters string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var p protocol.ReceiveParameters
	var result protocol.ReceiveResult
	err := errors.Join(protocol.DecodeStrict([]byte(parameters), &p), protocol.DecodeStrict(raw, &result))
	for _, f := range result.Files {
		for _, part := range f.Parts {
			if part.Image != nil && !slices.Contains(committed, part.Image.BlobRef) {
				return errNotCommitted
			}
		}
	}
	return errors.Join(err, result.Validate(len(p.Files)))
}

func checkSpeak(_ string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var result protocol.SpeakResult
	err := protocol.DecodeStrict(raw, &result)
	if err == nil && result.Failure == "" && !slices.Contains(committed, result.Blob) {
		err = errNotCommitted
	}
	return err
}

func checkUndo(parameters string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var p protocol.UndoParameters
	var result protocol.UndoResult
	err := errors.Join(protocol.DecodeStrict([]byte(parameters), &p), protocol.DecodeStrict(raw, &result))
	if err == nil && result.Diff != nil && !slices.Contains(committed, *result.Diff) {
		err = errNotCommitted
	}
	for i, c := range result.Changes {
		if i < len(p.Changes) && p.Changes[i].Kept { // the bytes are in the home's file history
			continue
		}
		if c.Found.IsHash() && !slices.Contains(committed, protocol.BlobRef{SHA256: string(c.Found), Size: c.Size}) {
			err = errNotCommitted
		}
	}
	return errors.Join(err, result.Validate(p))
}

func checkFileHistory(parameters string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var p protocol.FileHistoryParameters
	var result protocol.FileHistoryResult
	err := errors.Join(protocol.DecodeStrict([]byte(parameters), &p), protocol.DecodeStrict(raw, &result))
	if err == nil && result.Blob != nil && !slices.Contains(committed, *result.Blob) {
		err = errNotCommitted
	}
	return errors.Join(err, p.Validate(), result.Validate(p))
}

func checkUploads(_ string, raw json.RawMessage, committed []protocol.BlobRef) error {
	var result protocol.UploadsResult
	err := protocol.DecodeStrict(raw, &result)
	if err == nil && result.Blob != nil && !slices.Contains(committed, *result.Blob) {
		err = errNotCommitted
	}
	return errors.Join(err, result.Validate())
}

func checkMemory(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
	var result protocol.MemoryResult
	return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
}

func checkTodo(_ string, raw json.RawMessage, _ []protocol.BlobRef) error {
	var result protocol.TodoResult
	return errors.Join(protocol.DecodeStrict(raw, &result), result.Validate())
}

func checkTranscribe(parameters string, raw json.RawMessage, _ []protocol.BlobRef) error {
	var p protocol.TranscribeParameters
	var result protocol.TranscribeResult
	err := errors.Join(protocol.DecodeStrict([]byte(parameters), &p), protocol.DecodeStrict(raw, &result))
	if err == nil && result.Seconds > p.Seconds {
		err = fmt.Errorf("the result has %d seconds of %d", result.Seconds, p.Seconds)
	}
	return errors.Join(err, result.Validate())
}
