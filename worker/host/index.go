package host

import (
	"bytes"
	"context"
	"encoding/json"

	"mews/protocol"
)

// IndexChanged says that something in the home may have changed.
func (h *Host) IndexChanged(ctx context.Context) error {
	return h.conn.Notify(ctx, protocol.MethodIndexChanged, protocol.IndexChanged{})
}

// IndexFiles names files that there are, and gives the places of those that the supervisor doesn't
// know so.
func (o *Operation) IndexFiles(ctx context.Context, files []protocol.IndexedFile) ([]int, error) {
	var answer protocol.IndexDiffering
	err := o.host.call(ctx, protocol.MethodIndexFiles, protocol.IndexFiles{Operation: o.id, Files: files}, &answer)
	return answer.Differing, err
}

// IndexSections names the sections of files, and gives those that are to be put.
func (o *Operation) IndexSections(ctx context.Context, files []protocol.IndexedFile) ([]string, error) {
	var answer protocol.IndexMissing
	err := o.host.call(ctx, protocol.MethodIndexSections, protocol.IndexSections{Operation: o.id, Files: files}, &answer)
	return answer.Missing, err
}

// IndexPut puts sections, which are at most protocol.MaxIndexBlob bytes as JSON.
func (o *Operation) IndexPut(ctx context.Context, sections []protocol.SectionText) error {
	text, err := json.Marshal(protocol.IndexBlob{Sections: sections})
	if err != nil {
		return err
	}
	blob, err := o.Keep(ctx, bytes.NewReader(text), protocol.MaxIndexBlob)
	if err != nil {
		return err
	}
	return o.host.call(ctx, protocol.MethodIndexPut, protocol.IndexPut{Operation: o.id, Blob: blob}, nil)
}

// IndexEnd ends what is told, and says whether there is more to do.
func (o *Operation) IndexEnd(ctx context.Context, end protocol.IndexEnd) (more bool, err error) {
	end.Operation = o.id
	var answer protocol.IndexEnded
	err = o.host.call(ctx, protocol.MethodIndexEnd, end, &answer)
	return answer.More, err
}
