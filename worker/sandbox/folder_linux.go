package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// MakeFolderArgument is the argument with which mews-spawner runs RunMakeFolder.
const MakeFolderArgument = "make-folder"

// folderVariable is the only variable of RunMakeFolder's environment: the name of the folder.
const folderVariable = "MEWS_FOLDER"

// MakeFolder makes a folder that belongs to an account. A child of this process runs RunMakeFolder
// with that uid and a group that may write to parent, an open folder. No other goroutine may reap
// children meanwhile.
func MakeFolder(parent int, name string, uid, gid uint32) error {
	said, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer said.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return errors.Join(err, write.Close())
	}
	defer null.Close()
	pid, err := syscall.ForkExec(selfExe, []string{"mews-spawner", MakeFolderArgument}, &syscall.ProcAttr{
		Dir: fdPath(parent), Env: []string{folderVariable + "=" + name}, Files: []uintptr{null.Fd(), null.Fd(), write.Fd()},
		Sys: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}, Pdeathsig: syscall.SIGKILL},
	})
	if err = errors.Join(err, write.Close()); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(said, 1<<10))
	if ended := waitExit(pid); ended != nil {
		return fmt.Errorf("%w: %s", ended, text)
	}
	return err
}

// RunMakeFolder makes the folder named in the environment, in the working directory.
func RunMakeFolder() error {
	if err := dropCapabilities(); err != nil {
		return err
	}
	return unix.Mkdir(os.Getenv(folderVariable), 0o700)
}
