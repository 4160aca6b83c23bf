// Package erase deletes all files of a home whose user is gone.
package erase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"mews/protocol"
)

const (
	// maxDepth is the maximum number of folders that are open at once. A deeper folder is first
	// moved to the top of the home.
	maxDepth = 64
	// batch is the number of names that are read from a folder at once.
	batch = 1000
	// ownerAll is the mode with which an owner may delete the contents of a folder.
	ownerAll fs.FileMode = 0o700
)

// Run deletes everything in the folder home, but not home itself. It follows no link. Before it
// enters a folder, it gives the owner all rights. It stops when the time in p is over. An error is
// about the home as a whole, or is ctx's cause.
func Run(ctx context.Context, home string, p protocol.EraseParameters) (result protocol.EraseResult, err error) {
	timed, cancel := context.WithTimeout(ctx, time.Duration(p.Seconds)*time.Second)
	defer cancel()
	if err := allow(os.Lstat, os.Chmod, home); err != nil {
		return result, fmt.Errorf("erase the home: %w", err)
	}
	top, err := os.OpenRoot(home)
	if err != nil {
		return result, fmt.Errorf("erase the home: %w", err)
	}
	defer top.Close() // only folders are open, so an error loses no data
	changed := false  // a pass has deleted or moved something; otherwise another call would change nothing
	for {
		e := eraser{ctx: timed, top: top}
		e.empty(top, ".", 0)
		changed = changed || e.changed
		result.Files += e.files
		result.LeftOut, result.LeftOutMore = e.leftOut, e.more
		result.More = timed.Err() != nil && changed
		if ctx.Err() != nil {
			return result, context.Cause(ctx)
		}
		// moved folders, and names that this pass has missed, are left for the next pass
		if timed.Err() != nil || !e.changed || len(e.leftOut) == 0 && !e.moved {
			return result, nil
		}
	}
}

// eraser is one pass over a home.
type eraser struct {
	ctx     context.Context
	top     *os.Root
	files   int64
	changed bool // this pass has deleted or moved something
	moved   bool // this pass has moved a deep folder to the top
	leftOut []protocol.OmittedFile
	more    int64 // number of names that could not be deleted and are not in leftOut
}

// empty deletes the contents of an open folder.
func (e *eraser) empty(folder *os.Root, name string, depth int) {
	list, err := folder.Open(".")
	if err != nil {
		e.leave(name, err)
		return
	}
	defer list.Close() // the folder is only read, so an error loses no data
	for e.ctx.Err() == nil {
		entries, err := list.ReadDir(batch)
		for _, entry := range entries {
			if e.ctx.Err() != nil {
				return
			}
			e.remove(folder, entry, path.Join(name, entry.Name()), depth)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			e.leave(name, err)
			return
		}
	}
}

// remove deletes one entry of a folder, with everything in it. name is its path in the home.
func (e *eraser) remove(folder *os.Root, entry fs.DirEntry, name string, depth int) {
	if !entry.IsDir() {
		if err := folder.Remove(entry.Name()); err != nil {
			e.leave(name, err)
			return
		}
		e.files++
		e.changed = true
		return
	}
	before := int64(len(e.leftOut)) + e.more
	if err := e.removeFolder(folder, entry.Name(), name, depth); err != nil && before == int64(len(e.leftOut))+e.more {
		e.leave(name, err)
	}
}

// removeFolder deletes a folder. If something in the folder could not be deleted, removeFolder
// reports no further error.
func (e *eraser) removeFolder(above *os.Root, base, name string, depth int) error {
	if err := allow(above.Lstat, above.Chmod, base); err != nil {
		return err
	}
	if depth >= maxDepth {
		return e.moveUp(name)
	}
	folder, err := above.OpenRoot(base)
	if err != nil {
		return err
	}
	e.empty(folder, name, depth+1)
	_ = folder.Close() // the folder was only read, so an error loses no data
	switch err := above.Remove(base); {
	case err == nil:
		e.changed = true
		return nil
	case e.ctx.Err() != nil, e.moved:
		return nil // the folder was moved, and the next pass deletes it
	default:
		return err
	}
}

// moveUp moves a deep folder to the top of the home, under a new name.
func (e *eraser) moveUp(name string) error {
	for n := 1; ; n++ {
		to := fmt.Sprintf("deep-%d", n)
		if _, err := e.top.Lstat(to); err == nil {
			continue
		}
		err := e.top.Rename(name, to)
		if err == nil {
			e.changed, e.moved = true, true
		}
		return err
	}
}

// allow gives the owner of a folder all rights.
func allow(lstat func(string) (fs.FileInfo, error), chmod func(string, fs.FileMode) error, name string) error {
	info, err := lstat(name)
	if err != nil || info.Mode()&ownerAll == ownerAll {
		return err
	}
	return chmod(name, ownerAll)
}

// leave records a name that can't be deleted, and why.
func (e *eraser) leave(name string, why error) {
	if errors.Is(why, fs.ErrNotExist) {
		return
	}
	if fault := new(fs.PathError); errors.As(why, &fault) {
		why = fault.Err
	}
	if len(e.leftOut) == protocol.MaxOmittedFiles {
		e.more++
		return
	}
	e.leftOut = append(e.leftOut, protocol.OmittedFile{Path: cut(name), Reason: cut(why.Error())})
}

// cut returns the beginning of a text, as valid UTF-8.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxOmittedTextBytes)], "")
}
