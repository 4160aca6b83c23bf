package attachment

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/sqlite"
)

// receive prepares an inbound for its turn. ok is false if ctx has ended.
func (r *Receiver) receive(ctx context.Context, in supervisor.Inbound) (end sqlite.ArrivalResult, ok bool) {
	files, ok := retry.StoreUntilDone(ctx, r.o.Log, "list what came with a message", func() ([]supervisor.Attachment,
		error) {
		return r.o.Files.ListFiles(ctx, in.ID)
	})
	for i := range files {
		f := fetch{Receiver: r, inbound: in, position: files[i].Position}
		files[i] = f.run(ctx, files[i])
	}
	end = sqlite.ArrivalResult{Inbound: in.ID, FirstFile: in.FirstFile, Origin: in.Origin, Paths: map[int]string{}}
	if in.Parts != "" {
		_ = json.Unmarshal([]byte(in.Parts), &end.Parts) // Mews has encoded these parts of the replied message
	}
	received := r.read(ctx, in, files)
	var heard []string
	for i, file := range files {
		got := received[i]
		if got.Seconds > 0 {
			recording := Recording{Inbound: in, Position: file.Position, Kind: file.Kind, Path: got.Path, Seconds: got.Seconds,
				Blob: protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}}
			text, words := r.o.Transcribe(ctx, recording)
			got.Parts = append(got.Parts, protocol.ContentPart{Text: text})
			heard = append(heard, words)
		}
		end.Paths[len(end.Parts)] = got.Path
		end.Parts = append(end.Parts, partsOf(file, got)...)
	}
	if len(heard) == len(files) && !slices.Contains(heard, "") {
		end.Words = strings.Join(heard, "\n")
	}
	return end, ok && ctx.Err() == nil
}

// read lets the user's worker save and read the fetched files. The result has one entry for each
// file.
func (r *Receiver) read(ctx context.Context, in supervisor.Inbound, files []supervisor.Attachment) []protocol.ReceivedFile {
	received := make([]protocol.ReceivedFile, len(files))
	parameters := protocol.ReceiveParameters{SentAt: in.ReceivedAt.Unix()}
	var positions []int // indexes of the fetched files
	for i, f := range files {
		received[i].Failure = f.Failure
		if f.SHA256 == "" {
			continue
		}
		positions = append(positions, i)
		parameters.Files = append(parameters.Files, protocol.ArrivedFile{Blob: protocol.BlobRef{SHA256: f.SHA256, Size: f.Size}, Kind: f.Kind,
			Name: f.Name, MediaType: f.MediaType, Seconds: f.Seconds})
	}
	if len(positions) == 0 {
		return received
	}
	text, _ := json.Marshal(parameters) // parameters can always be encoded
	op, ok := r.o.Operations.RunOperation(ctx, supervisor.Operation{User: in.Conversation.User,
		Kind: protocol.OperationKindReceive, Parameters: string(text), Inbound: in.ID, Position: in.FirstFile}, nil)
	if !ok { // ctx has ended, or the user was erased
		op.Result = textUnknownResult
	}
	var result protocol.ReceiveResult
	if op.State == supervisor.OperationDone {
		if err := json.Unmarshal([]byte(op.Result), &result); err != nil || result.Validate(len(positions)) != nil {
			r.o.Log.Error("read what an operation came to", "operation", op.ID, "error", err)
			op.State, op.Result = supervisor.OperationFailed, textUnknownResult
		}
	}
	var missing []string
	for n, i := range positions {
		if op.State != supervisor.OperationDone {
			received[i].Failure = op.Result
			continue
		}
		received[i] = result.Files[n]
		missing = append(missing, result.Files[n].Missing...)
	}
	if len(missing) > 0 {
		r.o.Missing(ctx, in.Conversation, missing)
	}
	return received
}
