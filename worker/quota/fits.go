package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/protocol/amount"
)

// Disk is what a file system says of itself, in bytes.
type Disk struct {
	Total int64
	Free  int64 // of what this account may use
	// Project says that both numbers are of the folder's own project quota, not of the whole file
	// system.
	Project bool
}

const maxReserve = 1 << 30 // bytes

// reserve is what is kept free: nothing is written below 5 % or 1 GiB free, whichever is less.
func (d Disk) reserve() int64 { return min(d.Total/20, maxReserve) }

// space is how much a folder holds, and how much it may hold.
type space struct {
	used, limit int64 // limit 0 is none
	more        bool  // it holds more than used
}

// withProject is the space under a project's limit where that is lower than r's.
func (r space) withProject(d Disk) space {
	if !d.Project || r.limit > 0 && r.limit <= d.Total {
		return r
	}
	return space{used: d.Total - d.Free, limit: d.Total}
}

// shortage says why the folder may not grow by so many bytes. nil: it may.
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

// trashHint is for those who delete with delete_file, which makes no room.
const trashHint = " (what is in .trash counts too, until rm removes it)"

// shortage says why nothing may be written that takes so many bytes. nil: it may. The kernel
// enforces a project's limit, which also guards the rest of the file system; that cannot be seen
// behind it. Of some file systems nothing is known.
func (d Disk) shortage(grow int64) error {
	if d.Project || d.Total == 0 || d.Free-d.reserve() >= grow {
		return nil
	}
	return fmt.Errorf("the disk has %s free of %s, and %s are kept free; delete something first%s",
		amount.Size(d.Free), amount.Size(d.Total), amount.Size(d.reserve()), trashHint)
}

// Fits says why the folder may not grow by so many bytes. nil: it may. A write that does not grow
// it is always allowed.
//
// A refusal rests on a count that began after the call, because files that an older count included
// may have been deleted. So Fits waits for a count before it refuses, and where there was none yet.
// After WriteWait it uses an old count, and without any it allows the write.
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
	return cmp.Or(r.shortage(grow), d.shortage(grow))
}

// Note is a line to put under a program's result: why the file tools would not write now, "" if
// they would. It asks for a count, because the program may have written anything, and waits for it
// at most NoteWait.
func (q *Quota) Note(ctx context.Context) string {
	number := q.request()
	if q.options.Limit > 0 {
		q.await(ctx, number, q.options.NoteWait)
	}
	d := q.disk()
	if err := cmp.Or(q.usedSpace().withProject(d).shortage(0), d.shortage(0)); err != nil {
		return "no room: " + err.Error()
	}
	return ""
}

// usedSpace is the folder's own. A folder that was not counted yet counts as empty, and nothing is
// refused.
func (q *Quota) usedSpace() space {
	used, more := q.Used()
	return space{used: used, more: more, limit: q.options.Limit}
}

// disk is the file system now. If it does not tell, nothing is refused: it will refuse writes
// itself when it is full.
func (q *Quota) disk() Disk {
	d, err := q.options.Disk(q.options.Dir)
	if err != nil {
		q.options.Report(fmt.Errorf("look at the file system of %s: %w", q.options.Dir, err))
		return Disk{}
	}
	return d
}
