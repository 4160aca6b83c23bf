package supervisor

import (
	"context"
	"sync"
)

// UserTasks are what runs for people, so that all of it can be ended that runs for one of them. The
// zero value is ready. It may be used from several goroutines.
type UserTasks struct {
	mu    sync.Mutex // guards tasks
	tasks map[string]map[*userTask]bool
}

type userTask struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// Begin begins a task of a person; it is not ok where serves, which is asked then, says no. The
// task is over when done is called, and is to be over soon after own has ended.
func (u *UserTasks) Begin(ctx context.Context, user string, serves func() bool) (own context.Context, done func(), ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !serves() {
		return ctx, nil, false
	}
	own, cancel := context.WithCancel(ctx)
	task := &userTask{cancel, make(chan struct{})}
	if u.tasks == nil {
		u.tasks = map[string]map[*userTask]bool{}
	}
	if u.tasks[user] == nil {
		u.tasks[user] = map[*userTask]bool{}
	}
	u.tasks[user][task] = true
	return own, func() { u.end(user, task) }, true
}

func (u *UserTasks) end(user string, task *userTask) {
	u.mu.Lock()
	defer u.mu.Unlock()
	task.cancel()
	close(task.done)
	if delete(u.tasks[user], task); len(u.tasks[user]) == 0 {
		delete(u.tasks, user)
	}
}

// End ends all tasks of a person who is not served any more, and waits until they are over. None
// begins after that. Its error is ctx's cause.
func (u *UserTasks) End(ctx context.Context, user string) error {
	for _, task := range u.cancelAll(user) {
		select {
		case <-task.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (u *UserTasks) cancelAll(user string) (ending []*userTask) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for task := range u.tasks[user] {
		task.cancel()
		ending = append(ending, task)
	}
	return ending
}
