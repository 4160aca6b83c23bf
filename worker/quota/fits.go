package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/protocol/amount"
)

// DiskSpace holds the numbers of a file system, in bytes.
type DiskSpace struct {
	Total int64
	Free  int64 // bytes that this account may still write
	// Project means that both numbers belong to the folder's project quota, not to the whole file
	// system.
	Project bool
}

const maxReserve = 1 << 30 // bytes

// reserve is the space that writes must leave free: 5 % of the disk or 1 GiB, whichever is less.
func (d DiskSpace) reserve() int64 { return min(d.Total/20, maxReserve) }

// space holds the present bytes of a folder and their limit.
type space struct {
	used, limit int64 // bytes; limit 0 means no limit
	more        bool  // the folder holds more than used, because not all was counted
}

// withProject returns r under a project's limit, if that limit is lower than r's own.
func (r space) withProject(d DiskSpace) space {
	if !d.Project || r.limit > 0 && r.limit <= d.Total {
		return r
	}
	return space{used: d.Total - d.Free, limit: d.Total}
}

// shortage explains why the folder may not grow by that many bytes; nil means that it may.
func (r space) shortage(grow int64) error {
	if r.limit == 0 || r.used <= r.limit && r.limit-r.used >= grow {
		return nil
	}
	held := "the folder holds "
	if r.more {
		held += "at least "
	}
	held += fmt.Sprintf("%s of the %s that it may", amount.BinarySize(r.used), amount.BinarySize(r.limit))
	if r.used < r.limit {
		held += fmt.Sprintf(", and this would add %s", amount.BinarySize(grow))
	}
	return errors.New(held + "; delete something first" + trashHint)
}

// trashHint is for models and users who delete with delete_file. Such a file still takes room, in
// the trash.
const trashHint = " (what is in .trash counts too, until rm removes it)"

// shortage explains why a write of that many bytes is refused; nil means that it is allowed. With a
// project's limit, the numbers do not show the rest of the file system. The kernel enforces that
// limit, which also protects the rest. Some file systems give no numbers.
func (d DiskSpace) shortage(grow int64) error {
	if d.Project || d.Total == 0 || d.Free-d.reserve() >= grow {
		return nil
	}
	return fmt.Errorf("the disk has %s free of %s, and %s are kept free; delete something first%s",
		amount.BinarySize(d.Free), amount.BinarySize(d.Total), amount.BinarySize(d.reserve()), trashHint)
}

// CheckGrowth explains why the folder may not grow by that many bytes. nil means that it may. A
// write that does not make the folder larger is always allowed.
//
// CheckGrowth refuses only by a count that began after the call, because files in an older count
// may have been deleted. So it waits for a new count before it refuses, and before the first count
// has ended. After WriteWait it uses the old count. Without any count it allows the write.
func (q *Quota) CheckGrowth(grow int64) error {
	if grow <= 0 {
		return nil
	}
	ctx := context.Background()
	if q.options.Limit > 0 && !q.await(ctx, 1, 0) {
		q.RefreshCount()
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

// RefusalNote explains, for a program's result, why the file tools would refuse a write. It returns
// "" if the file tools would allow a write. It asks for a count, because the program may have
// written any number of bytes, and waits at most NoteWait for the count.
func (q *Quota) RefusalNote(ctx context.Context) string {
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

// usedSpace returns the folder's space. A folder without a count counts as empty, and refuses
// nothing.
func (q *Quota) usedSpace() space {
	used, more := q.UsedBytes()
	return space{used: used, more: more, limit: q.options.Limit}
}

// disk returns the numbers of the file system now. If there are no numbers, no write is refused
// here: the file system itself refuses writes when it is full.
func (q *Quota) disk() DiskSpace {
	d, err := q.options.Disk(q.options.Dir)
	if err != nil {
		q.options.Report(fmt.Errorf("look at the file system of %s: %w", q.options.Dir, err))
		return DiskSpace{}
	}
	return d
}
