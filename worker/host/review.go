package host

import (
	"context"
	"encoding/json"
	"fmt"

	"mews/protocol"
)

// AskBelow asks the model in a window of its own, in which nothing stands but a text. What was
// asked under the name before is answered as it was.
func (t *Turn) AskBelow(ctx context.Context, name, system, text string) (string, error) {
	whole := fullRequest(t.turn, 0, system, nil)
	whole.Child = &protocol.ChildWindow{Name: name, Text: text}
	answer, err := t.stream(ctx, t.host.sent.omitKnown(whole))
	if isUnknownHash(err) {
		answer, err = t.stream(ctx, whole)
	}
	if err != nil {
		return "", err
	}
	t.host.sent.remember(whole)
	return answer.Message.Text(), nil
}

// Material reads what the turn is about.
func (t *Turn) Material(ctx context.Context, ref protocol.BlobRef) (m protocol.ReviewMaterial, err error) {
	text := make([]byte, 0, ref.Size)
	for int64(len(text)) < ref.Size {
		part, err := t.ReadBlob(ctx, ref.SHA256, int64(len(text)), protocol.BlobChunk)
		if err != nil {
			return m, fmt.Errorf("read the material: %w", err)
		}
		if len(part.Data) == 0 {
			return m, fmt.Errorf("read the material: it ends after %d bytes of %d", len(text), ref.Size)
		}
		text = append(text, part.Data...)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read the material: %w", err)
	}
	return m, nil
}

// Report reports what the turn has come to.
func (t *Turn) Report(ctx context.Context, report protocol.ReviewReport) error {
	report.Turn = t.turn
	return t.host.call(ctx, protocol.MethodReviewReport, report, nil)
}
