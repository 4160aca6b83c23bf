package files

import (
	"context"
	"strings"

	"mews/worker"
	"mews/worker/workspace"
)

// runFunc runs a tool with arguments of type A.
type runFunc[A any] func(ctx context.Context, call worker.Call, args A) (worker.Result, error)

// withSimilarPaths lets a tool take a file whose path looks like a requested path that does not
// exist. The function paths returns the paths among the arguments. The result names each file that
// was taken.
func withSimilarPaths[A any](ws *workspace.Workspace, paths func(*A) []*string, run runFunc[A]) runFunc[A] {
	return func(ctx context.Context, call worker.Call, args A) (worker.Result, error) {
		var notes []string
		for _, path := range paths(&args) {
			taken, note := ws.SimilarPath(*path)
			if *path = taken; note != "" {
				notes = append(notes, note)
			}
		}
		result, err := run(ctx, call, args)
		if len(notes) > 0 && err == nil {
			result.Text = strings.Join(append(notes, result.Text), "\n")
		}
		return result, err
	}
}

// paths returns the paths that a read names.
func (a *readArgs) paths() []*string {
	list := []*string{&a.Path}
	for i := range a.Paths {
		list = append(list, &a.Paths[i])
	}
	return list
}

// The other tools have one path. A new file keeps the requested path. The target of a move stays as
// requested too, because the target may be the better name of the same file.
func (a *appendArgs) paths() []*string { return []*string{&a.Path} }
func (a *deleteArgs) paths() []*string { return []*string{&a.Path} }
func (a *editArgs) paths() []*string   { return []*string{&a.Path} }
func (a *listArgs) paths() []*string   { return []*string{&a.Path} }
func (a *moveArgs) paths() []*string   { return []*string{&a.From} }
func (a *searchArgs) paths() []*string { return []*string{&a.Path} }
func (a *writeArgs) paths() []*string  { return []*string{&a.Path} }
