package placement

import (
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"mews/protocol"
)

// victims are files, sockets and a process with a secret, which a worker tries to reach.
type victims struct {
	protocol.EscapeVictims
	whose     Account // the account of the worker that attacks the victims
	Dir       string
	listeners []net.Listener
	serving   sync.WaitGroup
	process   *exec.Cmd // the process that holds the secret; nil means this process
}

// NewVictims makes victims in a folder of their own; Close removes them. If possible, they belong
// to the worker's account, whose, so that only the sandbox protects them.
func NewVictims(state string, whose Account) (v *victims, err error) {
	v = &victims{whose: whose}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	RemoveOldVictims(os.TempDir(), filepath.Join(state, "private"), time.Now())
	if v.Dir, err = os.MkdirTemp("", VictimsPrefix); err != nil {
		return v, err
	}
	v.Secret, v.Supervisor, v.Process = rand.Text(), os.Getpid(), os.Getpid()
	if v.PIDNamespace, err = os.Readlink("/proc/self/ns/pid"); err != nil {
		return v, err
	}
	if v.StateFile = filepath.Join(state, "private", CanaryPrefix+v.Secret); v.keep(v.StateFile) != nil {
		v.StateFile = "" // the state folder does not exist yet
	}
	own, other := filepath.Join(v.Dir, "own"), filepath.Join(v.Dir, "other")
	v.OwnOutside, v.OtherHome = filepath.Join(own, "outside"), filepath.Join(other, "diary")
	v.History = filepath.Join(state, selfTestHome+HistorySuffix)
	v.Socket, v.Abstract = filepath.Join(own, "socket"), "mews-victim-"+v.Secret
	return v, errors.Join(os.Mkdir(own, 0o700), os.Mkdir(other, 0o700), v.keep(v.OwnOutside), v.keep(v.OtherHome),
		v.listen("tcp", "127.0.0.1:0"), v.listen("unix", v.Socket), v.listen("unix", "@"+v.Abstract),
		v.give(v.OwnOutside, v.OtherHome, v.Socket, own, other), v.start())
}

// give hands paths over to the worker's account. List a folder after its contents, so that nobody
// else can change the contents before.
func (v *victims) give(paths ...string) error {
	if os.Getuid() != 0 || v.whose.UID == 0 {
		return nil
	}
	for _, path := range paths {
		if err := os.Lchown(path, int(v.whose.UID), int(v.whose.GID)); err != nil {
			return err
		}
	}
	return os.Chmod(v.Dir, 0o711)
}

// start starts a waiting process of the worker's account, with the secret in its environment. If
// the program is missing, this process is the victim instead, which other processes can't inspect.
func (v *victims) start() error {
	path, err := exec.LookPath("cat")
	if err != nil {
		return nil
	}
	cmd := &exec.Cmd{Path: path, Args: []string{"cat"}, Env: []string{"MEWS_VICTIM=" + v.Secret}, Dir: "/"}
	if os.Getuid() == 0 && v.whose.UID != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: v.whose.UID, Gid: v.whose.GID}}
	}
	if _, err := cmd.StdinPipe(); err != nil { // Wait closes the pipe
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	v.process, v.Process = cmd, cmd.Process.Pid
	return nil
}

// Prefixes of victims' names, in the folder of temporary files and in the state folder.
const (
	VictimsPrefix = "mews-victims-"
	CanaryPrefix  = "canary-"
)

// VictimsMaxAge is the age at which victims of another process count as left over. A self-test
// takes seconds.
const VictimsMaxAge = time.Hour

// RemoveOldVictims removes victims that killed runs of this account left. Files that can't be
// removed stay for the next run.
func RemoveOldVictims(temporary, private string, now time.Time) {
	for _, left := range []struct {
		dir, prefix string
		folder      bool
	}{{temporary, VictimsPrefix, true}, {private, CanaryPrefix, false}} {
		entries, _ := os.ReadDir(left.dir) // the folder may not exist yet
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && strings.HasPrefix(e.Name(), left.prefix) && info.IsDir() == left.folder &&
				OwnerUID(info) == uint32(os.Getuid()) && now.Sub(info.ModTime()) > VictimsMaxAge {
				_ = os.RemoveAll(filepath.Join(left.dir, e.Name()))
			}
		}
	}
}

// keep writes the secret into a file.
func (v *victims) keep(path string) error { return os.WriteFile(path, []byte(v.Secret), 0o600) }

// listen sends the secret to every process that connects.
func (v *victims) listen(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if network == "tcp" {
		v.TCP = l.Addr().String()
	}
	v.listeners = append(v.listeners, l)
	v.serving.Go(func() { // this goroutine runs until the listener is closed
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, v.Secret)
			_ = conn.Close()
		}
	})
	return nil
}

func (v *victims) Close() error {
	var errs []error
	for _, l := range v.listeners {
		errs = append(errs, l.Close())
	}
	v.serving.Wait()
	if v.process != nil {
		errs = append(errs, v.process.Process.Kill())
		_ = v.process.Wait() // the process was killed, so an error is normal
	}
	if v.StateFile != "" {
		errs = append(errs, os.Remove(v.StateFile))
	}
	return errors.Join(append(errs, os.RemoveAll(v.Dir))...)
}
