package instructions

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// reportParams is the maximum size in bytes of a report that changes every file. Its texts are in
// base64.
const reportParams = (protocol.MaxMemoryTextBytes+224<<10)*4/3 + feature.MaxShortParamsBytes

func (f *PromptFiles) hostCalls() []feature.HostCall {
	return []feature.HostCall{{Method: protocol.MethodPromptFileReport, Kinds: feature.OwnWorkerTurnKinds(),
		Bytes: reportParams,
		Limit: 20_000, Serial: true, Checks: true,
		HostCallHandler: feature.NewHostCallHandler(f.report)}}
}

// reportedKey is the key of a turn attempt's note that the worker has reported the prompt files.
type reportedKey struct{}

// report records the state of the user's prompt files, for a turn or for a check with a command.
func (f *PromptFiles) report(ctx context.Context, t feature.Turn, p *protocol.PromptFileReport) (
	*protocol.PromptFileReportResult, error) {
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	_, before := t.Kept.Load(reportedKey{})
	r := supervisor.PromptFileReport{PromptFileReport: *p, User: t.User, First: !before, Resumed: t.Resumed,
		Notes: f.Notes(t), Private: f.PrivateChat(t.User)}
	var answer protocol.PromptFileReportResult
	err := t.Commit(ctx, func() error {
		told, err := int64(0), error(nil)
		if answer, told, err = f.StoreReport(ctx, r); told != 0 {
			f.Queued(told)
		}
		return err
	})
	if err == nil && len(answer.Need) == 0 {
		t.Kept.Store(reportedKey{}, true)
	}
	return &answer, err
}

// RecordReportBeforeModelCall records a report that comes with a model call. inForce tells whether
// the texts of the files themselves are in force. If it is false, the worker has to report again
// and read the answer.
func (f *PromptFiles) RecordReportBeforeModelCall(ctx context.Context, t feature.Turn,
	p *protocol.PromptFileReport) (inForce bool, err error) {
	r := *p
	r.Turn, r.InForce = t.ID, true
	answer, err := f.report(ctx, t, &r)
	return err == nil && len(answer.Need) == 0 && len(answer.Files) == 0, err
}
