package shell

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"mews/worker/workspace"
)

// environment is what programs run in: their folder, their variables and their files. It does not change.
type environment struct {
	ws       *workspace.Workspace
	home     string // the workspace's absolute path
	options  Options
	children *children
	temp     *tempFolder
}

// variables are all variables of a program's environment.
func (e *environment) variables(more ...string) []string {
	env := []string{"PATH=" + e.options.Path, "HOME=" + e.home, "LANG=C.UTF-8"}
	for _, v := range [][2]string{{"USER", e.options.User}, {"TZ", e.options.Zone}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return append(append(env, e.options.Env...), more...)
}

// tempName is the name in the workspace of the folder for temporary files, "" if that folder is elsewhere.
func (e *environment) tempName() string {
	name, err := filepath.Rel(e.home, e.options.Temp)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

// newCommand is a command with a folder, variables and a session of its own.
func (e *environment) newCommand(dir string, env []string, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// folder is the absolute path of a folder of the workspace, "" its top.
func (e *environment) folder(dir string) (string, error) {
	if dir == "" {
		return e.home, nil
	}
	path, mode, err := e.locate(dir)
	if err == nil && !mode.IsDir() {
		err = fmt.Errorf("run in %s: it is a file, not a folder", dir)
	}
	return path, err
}

// script is the absolute path of a script of the workspace.
func (e *environment) script(name string) (string, error) {
	path, mode, err := e.locate(name)
	if err == nil && !mode.IsRegular() {
		err = fmt.Errorf("run %s: it is not a file", name)
	}
	return path, err
}

// locate is the absolute path of a name in the workspace, and what it is.
func (e *environment) locate(name string) (string, fs.FileMode, error) {
	clean, err := e.ws.Clean(name)
	if err != nil {
		return "", 0, err
	}
	info, err := e.ws.Stat(name)
	if err != nil {
		return "", 0, err
	}
	return filepath.Join(e.home, clean), info.Mode(), nil
}

// find is the path of the first of these programs that is in PATH.
func (e *environment) find(names ...string) (string, bool) {
	for _, name := range names {
		for dir := range strings.SplitSeq(e.options.Path, ":") {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, true
			}
		}
	}
	return "", false
}

// shell is the path of bash, or else of sh.
func (e *environment) shell() (string, error) {
	if shell, ok := e.find("bash", "sh"); ok {
		return shell, nil
	}
	return "", fmt.Errorf("there is neither bash nor sh in %s", e.options.Path)
}
