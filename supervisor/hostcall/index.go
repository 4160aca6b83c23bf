package hostcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/index"
)

// IndexDependencies holds the index of homes.
type IndexDependencies struct {
	UpdateHome  func(user string) *index.HomeUpdate
	HomeChanged func(user string) // called when a home has changed; never blocks
}

// indexRows allow reports of changes for a month. A worker reports changes of its home at most once
// a second.
var indexRows = []row{
	{method: protocol.MethodIndexChanged, phase: anyTime, kinds: withHome, bytes: shortParams, limit: 3_000_000, handler: workNote((*work).homeChanged)},
	{method: protocol.MethodIndexFiles, phase: inOperation, bytes: 512 << 10, limit: 3_000, serial: true, handler: workCall((*work).indexFiles)},
	{method: protocol.MethodIndexSections, phase: inOperation, bytes: 768 << 10, limit: protocol.MaxIndexCalls, serial: true, handler: workCall((*work).indexSections)},
	{method: protocol.MethodIndexPut, phase: inOperation, bytes: shortParams, limit: protocol.MaxIndexCalls, serial: true, handler: workCall((*work).indexPut)},
	{method: protocol.MethodIndexEnd, phase: inOperation, bytes: shortParams, limit: 1, serial: true, handler: workCall((*work).indexEnd)},
}

// homeChanged answers index.changed.
func (w *work) homeChanged(*protocol.IndexChangedParams) error {
	w.o.HomeChanged(w.user)
	return nil
}

// homeUpdate returns the operation's update of the home's index. The first call begins the update.
// The calls come one by one.
func (w *work) homeUpdate() (*index.HomeUpdate, error) {
	o := w.operation
	if !o.Index {
		return nil, feature.WorkerOffence{Err: errors.New("the operation indexes nothing")}
	}
	if o.home == nil {
		o.home = w.o.UpdateHome(w.user)
	}
	return o.home, nil
}

// indexFault returns the error for the worker if an update of the index fails.
func indexFault(err error) error {
	if errors.Is(err, index.ErrContradictoryReport) {
		return feature.WorkerOffence{Err: err}
	}
	return err
}

// indexFiles answers index.files.
func (w *work) indexFiles(ctx context.Context, p *protocol.IndexFilesParams) (*protocol.IndexFilesResult, error) {
	home, err := w.homeUpdate()
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	differing, err := home.AddFiles(ctx, indexed(p.Files))
	return &protocol.IndexFilesResult{Differing: differing}, indexFault(err)
}

// indexSections answers index.sections.
func (w *work) indexSections(ctx context.Context, p *protocol.IndexSectionsParams) (*protocol.IndexSectionsResult,
	error) {
	home, err := w.homeUpdate()
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	list, err := home.AddSections(ctx, indexed(p.Files))
	answer := &protocol.IndexSectionsResult{}
	for _, hash := range list {
		answer.Missing = append(answer.Missing, string(hash))
	}
	return answer, indexFault(err)
}

func indexed(list []protocol.IndexedFile) (files []index.HomeFile) {
	for _, f := range list {
		file := index.HomeFile{Path: f.Path, Hash: string(f.State), Size: f.Size, Modified: time.Unix(0, f.Modified)}
		for _, s := range f.Sections {
			file.Sections = append(file.Sections, index.SectionPosition{Hash: index.SectionHash(s.Hash), Line: s.Line})
		}
		files = append(files, file)
	}
	return files
}

// indexPut answers index.put. The operation's end deletes the blob.
func (w *work) indexPut(ctx context.Context, p *protocol.IndexPutParams) (*struct{}, error) {
	home, err := w.homeUpdate()
	if err != nil {
		return nil, err
	}
	blob, err := w.readSections(p.Blob)
	if err != nil {
		return nil, err
	}
	var list []index.Section
	for _, s := range blob.Sections {
		list = append(list, index.Section{Hash: index.SectionHash(protocol.HashSection(s)), Heading: s.Heading,
			Text: s.Text})
	}
	return &struct{}{}, indexFault(home.StoreSections(ctx, list))
}

// readSections reads the sections from a blob that the operation has committed.
func (w *work) readSections(ref protocol.BlobRef) (blob protocol.IndexBlob, err error) {
	o := w.operation
	w.uploads.mu.Lock()
	committed := slices.Contains(o.committed, ref)
	w.uploads.mu.Unlock()
	if !committed || ref.Size > protocol.MaxIndexBlobBytes {
		return blob, feature.WorkerOffence{Err: fmt.Errorf("blob %.64q of %d bytes", ref.SHA256, ref.Size)}
	}
	file, _, err := o.Spool.OpenBlob(ref.SHA256)
	if err != nil {
		return blob, fmt.Errorf("read sections of %s: %w", w.user, err)
	}
	defer file.Close() // a failed Close loses nothing, because the file was only read
	text, err := io.ReadAll(file)
	if err != nil {
		return blob, fmt.Errorf("read sections of %s: %w", w.user, err)
	}
	if err := errors.Join(protocol.DecodeStrict(text, &blob), blob.Validate()); err != nil {
		return blob, feature.WorkerOffence{Err: err}
	}
	return blob, nil
}

// indexEnd answers index.end.
func (w *work) indexEnd(ctx context.Context, p *protocol.IndexEndParams) (*protocol.IndexEndResult, error) {
	home, err := w.homeUpdate()
	if err != nil {
		return nil, err
	}
	if err := p.Left.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	report := index.HomeCoverage{Large: p.Left.Large, NotText: p.Left.NotText, Unreadable: p.Left.Unreadable,
		Excess: p.Left.Excess}
	left, err := home.End(ctx, report, p.More)
	return &protocol.IndexEndResult{More: left || p.More}, indexFault(err)
}
