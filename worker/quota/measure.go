package quota

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// blockSize is the unit of Stat_t.Blocks. It does not depend on the file system (stat(2)).
const blockSize = 512

// maxOpenFolders bounds the folders that a count has open at once, since a process may have few
// descriptors. Folders below this depth are counted later, and each is opened from the top.
const maxOpenFolders = 48

// maxDepth bounds the depth of a count. Programs can nest folders deeper than a path can name them,
// and each deep folder costs as many steps as it has folders above it.
const maxDepth = 4000

// folderSize is the result of a count.
type folderSize struct {
	bytes int64
	files int64 // files and folders below the folder
	more  bool  // whether some of the folder was not counted
}

// walker is a running count.
type walker struct {
	folderSize
	ctx    context.Context
	pace   *pacer
	device uint64
	linked map[uint64]bool
	todo   []string // folders that are counted later, by their paths
}

// errDone ends a count whose context has ended or whose pacer wants it to end.
var errDone = errors.New("the count was ended")

// measure adds up the blocks of a folder and everything below it. It counts a file with several
// names once, and leaves out other file systems and targets of links. Changes that are made during
// the count may be counted or not. measure ends with ctx, or with errDone.
func measure(ctx context.Context, root *os.Root, pace *pacer) (folderSize, error) {
	top, err := root.Stat(".")
	if err != nil {
		return folderSize{}, err
	}
	st, ok := top.Sys().(*syscall.Stat_t)
	if !ok {
		return folderSize{}, errors.New("this system does not tell how much a file takes")
	}
	c := &walker{ctx: ctx, pace: pace, device: uint64(st.Dev), linked: map[uint64]bool{}, todo: []string{"."}}
	c.bytes = st.Blocks * blockSize
	for len(c.todo) > 0 {
		last := len(c.todo) - 1
		path := c.todo[last]
		c.todo = c.todo[:last]
		dir, err := openDeep(root, path)
		if err == nil {
			err = c.folder(dir, path, 1)
		}
		if errors.Is(err, errDone) {
			return c.folderSize, errors.Join(ctx.Err(), err)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.more = true // a folder that cannot be opened is not counted
		}
	}
	return c.folderSize, ctx.Err()
}

// openDeep opens the folder with this path, which may be longer than the system allows. No part of
// the path may be a link.
func openDeep(root *os.Root, path string) (*os.File, error) {
	dir, err := root.OpenFile(".", os.O_RDONLY|syscall.O_DIRECTORY, 0)
	for name := range strings.SplitSeq(path, "/") {
		if err != nil || name == "." {
			break
		}
		var below *os.File
		below, err = openBelow(dir, name)
		dir.Close()
		dir = below
	}
	return dir, err
}

// openBelow opens a folder in a folder. It follows no link.
func openBelow(dir *os.File, name string) (*os.File, error) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// folder adds the contents of an open folder, and closes it. open is the number of open folders.
func (c *walker) folder(dir *os.File, path string, open int) error {
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			if c.ctx.Err() != nil || !c.pace.step(c.ctx) {
				return errDone
			}
			if err := c.entry(dir, path, name, open); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// entry adds a file, or a folder with its contents. Its only error is errDone.
func (c *walker) entry(dir *os.File, above, name string, open int) error {
	var st unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil // the file was deleted meanwhile
	}
	if uint64(st.Dev) != c.device {
		return nil
	}
	isFolder := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if !isFolder && st.Nlink > 1 {
		if c.linked[st.Ino] {
			return nil
		}
		c.linked[st.Ino] = true
	}
	c.bytes += st.Blocks * blockSize
	c.files++
	if !isFolder {
		return nil
	}
	below := path.Join(above, name)
	if open >= maxOpenFolders {
		if strings.Count(below, "/") < maxDepth {
			c.todo = append(c.todo, below)
		} else {
			c.more = true
		}
		return nil
	}
	f, err := openBelow(dir, name)
	if err == nil {
		err = c.folder(f, below, open+1)
	}
	if err != nil && !errors.Is(err, errDone) && !errors.Is(err, fs.ErrNotExist) {
		c.more, err = true, nil
	}
	if errors.Is(err, errDone) {
		return err
	}
	return nil
}
