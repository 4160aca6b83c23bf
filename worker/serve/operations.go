package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mews/protocol"
	"mews/worker/archive"
	"mews/worker/erase"
	"mews/worker/host"
	"mews/worker/parse"
	"mews/worker/receive"
	"mews/worker/tool/calendar"
	"mews/worker/tool/uploads"
)

// operation runs one kind of operation. Its result is an object of the type of that kind.
type operation func(ctx context.Context, u *userTools, h *host.Operation, start protocol.OperationStart) (any, error)

// operations holds all kinds of operations that a worker knows.
var operations = map[protocol.OperationKind]operation{
	protocol.OperationKindAgenda:      withParameters(listAgenda),
	protocol.OperationKindArchive:     withParameters(archiveHome),
	protocol.OperationKindCalendar:    withParameters(runCalendar),
	protocol.OperationKindLog:         withParameters(logExchange),
	protocol.OperationKindCheck:       withParameters(runCheck),
	protocol.OperationKindErase:       withParameters(eraseHome),
	protocol.OperationKindFileHistory: withParameters(runFileHistory),
	protocol.OperationKindIndex:       withParameters(indexHome),
	protocol.OperationKindMemory:      withParameters(runMemory),
	protocol.OperationKindReceive:     withParameters(receiveFiles),
	protocol.OperationKindSpeak:       withParameters(speak),
	protocol.OperationKindTodo:        withParameters(runTodo),
	protocol.OperationKindUndo:        withParameters(undoChanges),
	protocol.OperationKindUnpack:      withParameters(unpackHome),
	protocol.OperationKindUploads:     withParameters(runUploads),

	protocol.OperationKindTranscribe: transcribe,
}

// withParameters adapts a function that takes parameters of type P.
func withParameters[P any](do func(context.Context, *userTools, *host.Operation, P) (any, error)) operation {
	return func(ctx context.Context, u *userTools, h *host.Operation, start protocol.OperationStart) (any, error) {
		var parameters P
		if err := protocol.DecodeStrict(start.Parameters, &parameters); err != nil {
			return nil, invalidOperation("parameters: %v", err)
		}
		return do(ctx, u, h, parameters)
	}
}

func invalidOperation(format string, args ...any) error {
	return &protocol.Error{
		Code: protocol.CodeInvalidParams, Message: protocol.MethodOperationStart + ": " + fmt.Sprintf(format, args...),
	}
}

// startOperation runs an operation to its end.
func (s *server) startOperation(ctx context.Context, start protocol.OperationStart) (any, error) {
	run, known := operations[start.Kind]
	if !known || start.Operation < 1 {
		return nil, invalidOperation("there is no operation %d of kind %.40q", start.Operation, start.Kind)
	}
	return s.runWork(ctx, work{protocol.MethodOperationStart, start.Operation}, func(ctx context.Context, u *userTools) (any, error) {
		if !u.hasHome() {
			return nil, invalidOperation("this worker has no home")
		}
		endRecord := u.recordFor(ctx, recordedOperations[start.Kind])
		result, err := run(ctx, u, s.host.Operation(start.Operation), start)
		endRecord()
		if err != nil {
			return nil, operationError(ctx, start, err)
		}
		text, err := json.Marshal(result)
		return protocol.OperationEnd{Result: text}, err
	})
}

// operationError returns the error of a failed operation for the supervisor.
func operationError(ctx context.Context, start protocol.OperationStart, err error) error {
	var refused *protocol.Error
	told := &protocol.Error{
		Code: protocol.CodeFailed, Message: fmt.Sprintf("operation %d (%s): %v", start.Operation, start.Kind, err),
	}
	switch {
	case ctx.Err() != nil:
		told.Code = protocol.CodeCancelled
	case errors.As(err, &refused):
		told.Code, told.Message = refused.Code, refused.Message
	}
	return told
}

// receiveFiles puts the files of a message below uploads/ in the home.
func receiveFiles(ctx context.Context, u *userTools, h *host.Operation, p protocol.ReceiveParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	return receive.Run(ctx, p, receive.Options{Home: u.files, Zone: u.zone, Blobs: h, Pictures: u.images,
		Programs: u.readPrograms(),
		Temp:     cmp.Or(u.options.Temp, "/tmp")})
}

// readPrograms returns the programs that read files; nil means that this worker runs none.
func (u *userTools) readPrograms() receive.Programs {
	if u.programs == nil {
		return nil
	}
	return u.programs
}

// convertPicture converts a file's bytes to a picture for the model.
func (u *userTools) convertPicture(ctx context.Context, file io.Reader) (parse.Picture, []byte, error) {
	if u.programs == nil {
		return parse.Picture{}, nil, errors.New("this worker runs no programs")
	}
	return parse.ConvertPicture(ctx, u.programs, file)
}

// measure returns the length and size of a recording or film of the home.
func (u *userTools) measure(ctx context.Context, path string) protocol.MediaSize {
	return receive.MeasureMedia(ctx, u.files, u.readPrograms(), path)
}

// runUploads lists, sends or deletes files that the user has sent.
func runUploads(ctx context.Context, u *userTools, h *host.Operation, p protocol.UploadsParameters) (any, error) {
	result, err := uploads.RunOperation(ctx, p, u.files, u.zone, h)
	if err == nil && p.Action == protocol.UploadedFilesActionSend && result.Blob != nil {
		result.Size = u.measure(ctx, result.Files[0].Path)
	}
	if err == nil && p.Action == protocol.UploadedFilesActionRemove {
		err = u.forgetUpload(ctx, p.Key)
	}
	return result, err
}

// runMemory lists, corrects, forgets or imports facts.
func runMemory(ctx context.Context, u *userTools, _ *host.Operation, p protocol.MemoryParameters) (any, error) {
	r, err := u.memory.RunOperation(ctx, p, u.options.Now())
	if err == nil && p.Turns != nil {
		r.Logs, err = u.log.ForgetTurns(ctx, *p.Turns, p.Action == protocol.MemoryActionForget)
	}
	return r, err
}

// runTodo lists or changes the to-dos.
func runTodo(ctx context.Context, u *userTools, _ *host.Operation, p protocol.TodoParameters) (any, error) {
	return u.todos.RunOperation(ctx, p)
}

// runCalendar lists, imports or sends events of the calendar.
func runCalendar(ctx context.Context, u *userTools, h *host.Operation, p protocol.CalendarParameters) (any, error) {
	o := calendar.OperationOptions{Blobs: h, Copies: h}
	if u.programs != nil {
		o.Programs = u.programs
	}
	if u.history != nil {
		o.Keep = u.history.Keep
	}
	return u.calendar.RunOperation(ctx, p, o)
}

// logExchange adds an exchange to the log of its day.
func logExchange(ctx context.Context, u *userTools, _ *host.Operation, p protocol.LogParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	return protocol.LogResult{}, u.log.AddExchange(ctx, p)
}

// undoChanges undoes changes of the files of the user, or shows them.
func undoChanges(ctx context.Context, u *userTools, h *host.Operation, p protocol.UndoParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	return u.undoer.RunOperation(ctx, h.ID(), p, h)
}

// archiveHome sends a tar of the home to the supervisor, with its file history if that is wanted.
// For a backup it compresses and perhaps seals the tar, unless the home is as it was.
func archiveHome(ctx context.Context, u *userTools, h *host.Operation, p protocol.ArchiveParameters) (any, error) {
	if p.MaxBytes < protocol.MinArchiveBytes {
		return nil, invalidOperation("parameters: max_bytes: %d, want at least %d", p.MaxBytes,
			protocol.MinArchiveBytes)
	}
	result := protocol.ArchiveResult{}
	if p.Backup {
		if err := u.compareHome(ctx, p, &result); err != nil || result.Unchanged {
			return result, err
		}
	}
	blob, err := h.CreateBlob(ctx)
	if err != nil {
		return nil, err
	}
	var to io.WriteCloser = unpacked{blob}
	if p.Backup {
		if to, err = archive.NewPacked(blob, p.Recipient); err != nil {
			return nil, invalidOperation("parameters: %v", err)
		}
	}
	options := archive.Options{
		MaxBytes: p.MaxBytes, MaxNamed: protocol.MaxOmittedFiles, MaxText: protocol.MaxOmittedTextBytes,
	}
	if p.History {
		options.More = func(m archive.Members) error { return u.addHistory(ctx, m, p.Backup) }
	}
	written, err := archive.Write(ctx, u.hello.Home, to, options)
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, err
	}
	result.Files, result.Bytes, result.LeftOutMore = written.Files, written.Bytes, written.More
	for _, left := range written.LeftOut {
		result.LeftOut = append(result.LeftOut, protocol.OmittedFile(left))
	}
	if written.Full {
		result.Digest = archive.FullDigest(result.Digest, p.MaxBytes)
	}
	result.Blob, err = blob.Commit()
	return result, err
}

// eraseHome deletes all files of the home.
func eraseHome(ctx context.Context, u *userTools, _ *host.Operation, p protocol.EraseParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	return erase.Run(ctx, u.hello.Home, p)
}
