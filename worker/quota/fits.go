package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/protocol/amount"
)

// DiskSpace holds the numbers of a file system.
type DiskSpace struct {
	Total int64 // bytes that the file system can hold
	Free  int64 // bytes that this account may still write
	// Project means that both numbers belong to the folder's project quota, not to the whole file
	// system.
	Project bool

	Files     int64 // number of files that the file system has room for; 0 means unknown
	FreeFiles int64 // number of files that may still be made
}

// IsLow reports whether the file system has less room than its reserve.
func (d DiskSpace) IsLow() bool { return d.shortage(0) != nil }

// space holds the present size of a folder and its limits.
type space struct {
	used, limit int64 // bytes used and bytes allowed; a limit of 0 means no limit
	more        bool  // whether the folder holds more than used, because not all was counted

	files, fileLimit int64 // number of files and folders, and the limit of that number; 0 means no limit
}

// withProject returns r under a project's limit, if that limit is lower than r's own.
func (r space) withProject(d DiskSpace) space {
	if !d.Project || r.limit > 0 && r.limit <= d.Total {
		return r
	}
	r.used, r.limit, r.more = d.Total-d.Free, d.Total, false
	return r
}

// shortage explains why the folder may not grow by that number of bytes; nil means that it may.
func (r space) shortage(grow int64) error {
	if r.fileLimit > 0 && r.files > r.fileLimit {
		return fmt.Errorf("the folder holds %d files of the %d that it may; delete some first%s", r.files, r.fileLimit,
			trashHint)
	}
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

// trashHint is for models and users who delete with delete_file. A file that this tool has deleted
// still takes room in the trash.
const trashHint = " (what is in .trash counts too, until rm removes it)"

// shortage explains why a write of that number of bytes is refused; nil means that it is allowed.
// With a project's limit, the numbers do not show the rest of the file system. The kernel enforces
// that limit, which also protects the rest. Some file systems give no numbers.
func (d DiskSpace) shortage(grow int64) error {
	if d.Project {
		return nil
	}
	reserve, files := protocol.DiskReserve(d.Total), protocol.FileCountReserve(d.Files)
	switch {
	case d.Total > 0 && d.Free-reserve < grow:
		return fmt.Errorf("the disk has %s free of %s, and %s are kept free; delete something first%s",
			amount.BinarySize(d.Free), amount.BinarySize(d.Total), amount.BinarySize(reserve), trashHint)
	case d.Files > 0 && d.FreeFiles < files:
		return fmt.Errorf("the disk has room for %d more files of %d, and %d are kept free; delete some first%s",
			d.FreeFiles, d.Files, files, trashHint)
	}
	return nil
}

// CheckGrowth explains why the folder may not grow by that number of bytes. nil means that it may.
// A write that does not make the folder larger is always allowed.
//
// Files in an older count may have been deleted, so only a count that began after the call can lead
// to a refusal. Before CheckGrowth refuses, it waits for such a count. If no count has ended yet,
// it waits for the first one. After WriteWait it uses the old count. Without any count it allows
// the write.
func (q *Quota) CheckGrowth(grow int64) error {
	if grow <= 0 {
		return nil
	}
	ctx := context.Background()
	if q.isLimited() && !q.await(ctx, 1, 0) {
		q.RefreshCount()
		q.await(ctx, 1, q.options.WriteWait)
	}
	d := q.disk()
	r := q.usedSpace().withProject(d)
	if r.shortage(grow) != nil && (r.limit == q.options.Limit || r.files > r.fileLimit) {
		q.await(ctx, q.request(), q.options.WriteWait)
		r = q.usedSpace().withProject(d)
	}
	return cmp.Or(r.shortage(grow), d.shortage(grow))
}

// RefusalNote explains, for a program's result, why the file tools would refuse a write. It returns
// "" if the file tools would allow a write. It asks for a count, because the program may have
// written any number of bytes, and waits at most NoteWait for the count.
func (q *Quota) RefusalNote(ctx context.Context) string {
	number := q.request()
	if q.isLimited() {
		q.await(ctx, number, q.options.NoteWait)
	}
	d := q.disk()
	if err := cmp.Or(q.usedSpace().withProject(d).shortage(0), d.shortage(0)); err != nil {
		return "no room: " + err.Error()
	}
	return ""
}

// isLimited reports whether the folder has a limit of its own.
func (q *Quota) isLimited() bool { return q.options.Limit > 0 || q.options.FileLimit > 0 }

// usedSpace returns the folder's space. A folder without a count counts as empty, and refuses
// nothing.
func (q *Quota) usedSpace() space {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := space{limit: q.options.Limit, fileLimit: q.options.FileLimit}
	if q.state.answered > 0 {
		r.used, r.files, r.more = q.state.used, q.state.files, q.state.more
	}
	return r
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

// DiskIsLow reports whether the disk has less room than its reserve now.
func (q *Quota) DiskIsLow() bool { return q.disk().IsLow() }
