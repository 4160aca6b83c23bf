package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// PromptFileDependencies are what taking reports of prompt files needs. Where PromptFiles is nil,
// nothing is in force.
type PromptFileDependencies struct {
	PromptFiles PromptFiles
	// where nobody else reads what a person is told
	PrivateChat func(user string) supervisor.Conversation
	// something may have been put into its outbox
	Queued func(conversation int64)
}

// PromptFiles keeps which texts are in force.
type PromptFiles interface {
	// Report takes a report. told is the conversation in whose outbox there may be something.
	Report(ctx context.Context, r supervisor.PromptFileReport) (answer protocol.PromptFilesInForce, told int64, err error)
}

// promptFileParams is what a report takes in which each file is changed, in bytes: they are in
// base64.
const promptFileParams = (protocol.MaxMemoryText+224<<10)*4/3 + shortParams

var promptFileRows = []row{
	{method: protocol.MethodPromptFileReport, phase: inTurn, kinds: withHome, bytes: promptFileParams, limit: 20_000, serial: true,
		handler: turnCall((*turn).reportPromptFiles)},
}

// reportPromptFiles takes what is at the places of the person's prompt files.
func (t *turn) reportPromptFiles(ctx context.Context, p *protocol.PromptFileReport) (*protocol.PromptFilesInForce, error) {
	if err := p.Check(); err != nil {
		return nil, feature.Offence{Err: err}
	}
	if t.o.PromptFiles == nil {
		return nil, feature.Refused("this Mews takes no prompt files")
	}
	r := supervisor.PromptFileReport{PromptFileReport: *p, User: t.user, Begins: !t.reported, Resumed: t.Step > 0 || len(t.Pending) > 0,
		Private: t.o.PrivateChat(t.user)}
	var answer protocol.PromptFilesInForce
	err := t.commit(ctx, func() error {
		told, err := int64(0), error(nil)
		if answer, told, err = t.o.PromptFiles.Report(ctx, r); told != 0 {
			t.o.Queued(told)
		}
		return err
	})
	t.reported = t.reported || err == nil && len(answer.Need) == 0
	return &answer, err
}
