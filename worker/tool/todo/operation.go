package todo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/todo"
)

// RunOperation runs an operation of the kind protocol.OperationKindTodo.
func (l *List) RunOperation(ctx context.Context, p protocol.TodoParameters) (r protocol.TodoResult, err error) {
	run, known := actions[p.Action]
	if !known {
		return r, fmt.Errorf("there is no action %.20q", p.Action)
	}
	err = run(l, ctx, p, &r)
	if errors.Is(err, todo.ErrNotFound) {
		return protocol.TodoResult{}, nil
	}
	if err != nil && ctx.Err() == nil {
		return protocol.TodoResult{Refused: cut(err.Error())}, nil
	}
	return r, err
}

var actions = map[protocol.TodoAction]func(*List, context.Context, protocol.TodoParameters, *protocol.TodoResult) error{
	protocol.TodoActionList: (*List).listPage,
	protocol.TodoActionShow: func(l *List, _ context.Context, p protocol.TodoParameters, r *protocol.TodoResult) error {
		f, err := l.Read()
		if err != nil {
			return err
		}
		item, err := find(f, p)
		r.Items = []protocol.TodoItem{describe(item)}
		return err
	},
	protocol.TodoActionAdd: func(l *List, ctx context.Context, p protocol.TodoParameters,
		r *protocol.TodoResult) error {
		return l.changeOne(ctx, p, r, func(f *todo.File, at time.Time) (item todo.Item, err error) {
			item, _, err = f.Add(todo.Change{Title: &p.Text}, at)
			return item, err
		})
	},
	protocol.TodoActionDone: func(l *List, ctx context.Context, p protocol.TodoParameters,
		r *protocol.TodoResult) error {
		done := todo.StatusDone
		return l.changeOne(ctx, p, r, updateOne(p, todo.Change{Status: &done}))
	},
	protocol.TodoActionDue: func(l *List, ctx context.Context, p protocol.TodoParameters,
		r *protocol.TodoResult) error {
		return l.changeOne(ctx, p, r, updateOne(p, todo.Change{Due: &p.Due}))
	},
	protocol.TodoActionDelete: func(l *List, ctx context.Context, p protocol.TodoParameters,
		r *protocol.TodoResult) error {
		return l.changeOne(ctx, p, r, func(f *todo.File, _ time.Time) (todo.Item, error) {
			item, err := find(f, p)
			if err == nil {
				item, err = f.Remove(item.Key)
			}
			return item, err
		})
	},
}

// find returns the item that parameters mean.
func find(f *todo.File, p protocol.TodoParameters) (todo.Item, error) {
	item, ok := f.Find(p.ID)
	if !ok || p.Created != "" && p.Created != item.Mark() {
		return item, todo.ErrNotFound
	}
	return item, nil
}

// updateOne returns a function that changes the item of the parameters.
func updateOne(p protocol.TodoParameters, c todo.Change) func(*todo.File, time.Time) (todo.Item, error) {
	return func(f *todo.File, at time.Time) (todo.Item, error) {
		item, err := find(f, p)
		if err == nil {
			item, _, err = f.Update(item.Key, c, at)
		}
		return item, err
	}
}

// changeOne changes the list for an operation. The time of the change is the time of the user's
// wish. So a repeated operation knows the item that it has added before.
func (l *List) changeOne(ctx context.Context, p protocol.TodoParameters, r *protocol.TodoResult,
	do func(*todo.File, time.Time) (todo.Item, error)) error {
	at, err := time.ParseInLocation(todo.TimeLayout, p.At, l.zone)
	if err != nil {
		at = l.now().In(l.zone)
	}
	var item todo.Item
	_, r.Changed, err = l.edit(ctx, nil, func(f *todo.File) (err error) {
		item, err = do(f, at)
		return err
	})
	r.Changed = r.Changed || item.Updated == p.At
	r.Items = []protocol.TodoItem{describe(item)}
	return err
}

func (l *List) listPage(_ context.Context, p protocol.TodoParameters, r *protocol.TodoResult) error {
	f, err := l.Read()
	if err != nil {
		return err
	}
	filter := todo.Filter{Text: p.Words}
	if p.Done {
		filter.Status = todo.StatusDone
	}
	all := f.Items()
	selected := todo.Select(all, filter)
	r.Total, r.Done = len(selected), len(todo.Select(all, todo.Filter{Status: todo.StatusDone}))
	from := min(max(p.Offset, 0), len(selected))
	for _, item := range selected[from:min(from+protocol.TodoPageSize, len(selected))] {
		r.Items = append(r.Items, describe(item))
	}
	return nil
}

// describe returns an item for the supervisor.
func describe(i todo.Item) protocol.TodoItem {
	described := protocol.TodoItem{ID: i.Key, Title: cut(i.Title), Description: cut(i.Description),
		Status: string(i.Status), Effort: i.Effort, Due: i.Due, Created: i.Mark(), Line: i.Line}
	size := 0
	for _, tag := range i.Tags {
		if size += len(tag); size > protocol.MaxTodoTextBytes {
			break
		}
		described.Tags = append(described.Tags, tag)
	}
	return described
}

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxTodoTextBytes)], "")
}
