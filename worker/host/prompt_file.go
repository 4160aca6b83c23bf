package host

import (
	"context"

	"mews/protocol"
)

// ReportPromptFiles says what is at the places of the home's prompt files. It sets r.Turn.
func (t *Turn) ReportPromptFiles(ctx context.Context, r protocol.PromptFileReport) (answer protocol.PromptFilesInForce, err error) {
	r.Turn = t.turn
	return answer, t.host.conn.Call(ctx, protocol.MethodPromptFileReport, r, &answer)
}
