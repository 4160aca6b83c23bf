package quota

import (
	"context"
	"errors"
	"fmt"

	"mews/protocol/amount"
)

// Disk is what a file system says of itself, in bytes.
type Disk struct {
	Total int64
	Free  int64 // of what this account may use
	// Project says that both are those of the folder's own project quota, not of the whole file system.
	Project bool
}

// maxReserve is what a reserve is at most, in bytes.
const maxReserve = 1 << 30

// reserve is what is to stay free: nothing is written below 5 % or 1 GiB free, whichever is less.
func (d Disk) reserve() int64 { return min(d.Total/20, maxReserve) }

// space is what there is, and what there may be.
type space struct {
	used, limit int64 // limit 0 is none
	more        bool  // more than used
}

// withProject is the room by a project's limit where that is smaller than r's.
func (r space) withProject(d Disk) space {
	if !d.Project || r.limit > 0 && r.limit <= d.Total {
		return r
	}
	return space{used: d.Total - d.Free, limit: d.Total}
}

// shortage reports why the folder may not grow by so many bytes.
func (r space) shortage(grow int64) error {
	if r.limit == 0 || r.used <= r.limit && r.limit-r.used >= grow {
		return nil
	}
	held := "the folder holds "
	if r.more {
		held += "at least "
	}
	held += fmt.Sprintf("%s of the %s that it may", amount.Size(r.used), amount.Size(r.limit))
	if r.used < r.limit {
		held += fmt.Sprintf(", and this would add %s", amount.Size(grow))
	}
	return errors.New(held + "; delete something first" + trashHint)
}

// trashHint is what one has to know who deletes: delete_file makes no room.
const trashHint = " (what is in .trash counts too, until rm removes it)"

// shortage reports why nothing may be written that takes so many bytes. A project's limit is the kernel's to keep, and guards
// the rest of the file system, which is not seen behind it; and of some file systems nothing is known.
func (d Disk) shortage(grow int64) error {
	if d.Project || d.Total == 0 || d.Free-d.reserve() >= grow {
		return nil
	}
	return fmt.Errorf("the disk has %s free of %s, and %s are kept free; delete something first%s",
		amount.Size(d.Free), amount.Size(d.Total), amount.Size(d.reserve()), trashHint)
}

// Fits reports why the folder may not grow by so many bytes; nil is that it may, and what does not grow it always may. A
// refusal rests on a count that began after the question: what is over the limit by an older one may have been deleted.
// So it waits for a count before it refuses, and where there is none yet; but not for ever, and rather believes an old
// one than nothing.
func (q *Quota) Fits(grow int64) error {
	if grow <= 0 {
		return nil
	}
	ctx := context.Background()
	if q.options.Limit > 0 && !q.await(ctx, 1, 0) {
		q.Refresh()
		q.await(ctx, 1, q.options.WriteWait)
	}
	d := q.disk()
	r := q.usedSpace().withProject(d)
	if r.shortage(grow) != nil && r.limit == q.options.Limit {
		q.await(ctx, q.request(), q.options.WriteWait)
		r = q.usedSpace()
	}
	if err := r.shortage(grow); err != nil {
		return err
	}
	return d.shortage(grow)
}

// Note is what is to be said under a program's result: why the file tools would not write now, "" where they would. It asks
// for a count, because the program may have written anything, and waits for it, but not long.
func (q *Quota) Note(ctx context.Context) string {
	number := q.request()
	if q.options.Limit > 0 {
		q.await(ctx, number, q.options.NoteWait)
	}
	d := q.disk()
	err := q.usedSpace().withProject(d).shortage(0)
	if err == nil {
		err = d.shortage(0)
	}
	if err == nil {
		return ""
	}
	return "no room: " + err.Error()
}

// usedSpace is that of the folder itself. What was not counted yet is no reason to refuse anything.
func (q *Quota) usedSpace() space {
	used, more := q.Used()
	return space{used: used, more: more, limit: q.options.Limit}
}

// disk is the file system now. One that does not tell refuses nothing: it will by itself when it is full.
func (q *Quota) disk() Disk {
	d, err := q.options.Disk(q.options.Dir)
	if err != nil {
		q.options.Report(fmt.Errorf("look at the file system of %s: %w", q.options.Dir, err))
		return Disk{}
	}
	return d
}
