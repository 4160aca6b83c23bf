package quota

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// blockSize is the unit of Stat_t.Blocks. It does not depend on the file system (stat(2)).
const blockSize = 512

// maxDepth bounds the depth of a count. Each folder is opened level by level from the top, so depth
// costs time.
const maxDepth = 100

// folderSize is the result of a count.
type folderSize struct {
	bytes int64
	more  bool // some of the folder was not counted
}

// walker is a running count.
type walker struct {
	folderSize
	root    *os.Root
	device  uint64
	entries int // files and folders that may still be counted
	linked  map[uint64]bool
	todo    []folder
}

type folder struct {
	path  string
	depth int
}

// measure adds up the blocks of a folder and everything below it. It counts a file with several
// names once, and leaves out other file systems and targets of links. Changes made meanwhile may be
// counted or not. It ends with ctx.
func measure(ctx context.Context, root *os.Root, entries int) (folderSize, error) {
	top, err := root.Stat(".")
	if err != nil {
		return folderSize{}, err
	}
	st, ok := top.Sys().(*syscall.Stat_t)
	if !ok {
		return folderSize{}, errors.New("this system does not tell how much a file takes")
	}
	c := &walker{root: root, device: uint64(st.Dev), entries: entries, linked: map[uint64]bool{}, todo: []folder{{".", 0}}}
	c.bytes = st.Blocks * blockSize
	for len(c.todo) > 0 && ctx.Err() == nil {
		last := len(c.todo) - 1
		f := c.todo[last]
		c.todo = c.todo[:last]
		if err := c.folder(ctx, f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.more = true // the folder cannot be opened
		}
	}
	return c.folderSize, ctx.Err()
}

// folder adds the contents of a folder, and notes its folders for later.
func (c *walker) folder(ctx context.Context, f folder) error {
	dir, err := c.root.OpenFile(f.path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	for ctx.Err() == nil {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			if c.entries == 0 {
				c.more, c.todo = true, nil
				return nil
			}
			c.entries--
			c.entry(fd, f, name)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *walker) entry(dir int, in folder, name string) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return // deleted since
	}
	if uint64(st.Dev) != c.device {
		return
	}
	isFolder := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if !isFolder && st.Nlink > 1 {
		if c.linked[st.Ino] {
			return
		}
		c.linked[st.Ino] = true
	}
	c.bytes += st.Blocks * blockSize
	switch {
	case !isFolder:
	case in.depth == maxDepth:
		c.more = true
	default:
		c.todo = append(c.todo, folder{path.Join(in.path, name), in.depth + 1})
	}
}
