package disk

import (
	"context"
	"sync"
)

// reading is a measurement of a disk.
type reading struct {
	Space
	path  string
	users []string // users with a running worker and a folder on the disk
	kept  []string // users with a running worker and a file history on the disk
	own   bool     // the state folder is on the disk
}

// read measures the disks of the state folder and of the workers' folders, each once.
func (g *Guard) read(workers []Worker) map[uint64]*reading {
	found := map[uint64]*reading{}
	add := func(path, user string) {
		device, err := DeviceOf(path)
		if err != nil {
			g.Log.Debug("a folder is on no disk that can be watched", "error", err)
			return
		}
		r := found[device]
		if r == nil {
			r = &reading{path: path, own: user == ""}
			if r.Space, err = g.Space(path); err != nil {
				g.Log.Debug("a disk can't be watched", "error", err)
				return
			}
			found[device] = r
		}
		if user != "" && (len(r.users) == 0 || r.users[len(r.users)-1] != user) {
			r.users = append(r.users, user)
		}
	}
	add(g.Folder, "")
	for _, w := range workers {
		for _, folder := range w.Folders {
			add(folder, w.User)
		}
	}
	for _, w := range workers {
		if device, err := DeviceOf(w.History); w.History != "" && err == nil && found[device] != nil {
			found[device].kept = append(found[device].kept, w.User)
		}
	}
	return found
}

// askGrowth asks the workers of users how much their programs have written.
func (g *Guard) askGrowth(ctx context.Context, users []string) []writer {
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	all := make([]writer, len(users))
	var asking sync.WaitGroup
	for i, user := range users {
		asking.Go(func() {
			growth, err := g.Growth(ctx, user)
			all[i] = writer{user, growth, err != nil}
		})
	}
	asking.Wait()
	return all
}
