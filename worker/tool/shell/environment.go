package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"mews/worker/workspace"
)

// environment is where programs are made ready: what they are told, and where they run.
type environment struct {
	ws       *workspace.Workspace
	options  Options
	children *children
	temp     *tempFolder
}

// variables is all that a program is told.
func (e *environment) variables(more ...string) []string {
	o := e.options
	env := []string{"PATH=" + o.Path, "HOME=" + e.home(), "LANG=C.UTF-8"}
	for _, v := range [][2]string{{"USER", o.User}, {"TZ", o.Zone}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return append(append(env, o.Env...), more...)
}

// home is the absolute path of the workspace, where that can be told.
func (e *environment) home() string {
	if home, err := filepath.Abs(e.options.Home); err == nil {
		return home
	}
	return e.options.Home
}

// tempName is the workspace's name of the folder for temporary files, "" where that is elsewhere.
func (e *environment) tempName() string {
	name, err := filepath.Rel(e.home(), e.options.Temp)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

// newCommand is a command that has nothing yet but where it runs and what it is told.
func (e *environment) newCommand(dir string, env []string, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// folder is the path of a folder of the workspace, "" its top.
func (e *environment) folder(dir string) (string, error) {
	if dir == "" {
		return e.home(), nil
	}
	name, err := e.ws.Clean(dir)
	if err != nil {
		return "", err
	}
	info, err := e.ws.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", errors.New("run in " + dir + ": it is a file, not a folder")
	}
	return filepath.Join(e.home(), name), nil
}

// find is the path of the first of some programs that is there, as a child would find it.
func (e *environment) find(names ...string) (string, bool) {
	for _, name := range names {
		for _, dir := range strings.Split(e.options.Path, ":") {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, true
			}
		}
	}
	return "", false
}

// shell is the path of the shell.
func (e *environment) shell() (string, error) {
	if shell, ok := e.find("bash", "sh"); ok {
		return shell, nil
	}
	return "", fmt.Errorf("there is neither bash nor sh in %s", e.options.Path)
}

// script is the absolute path of a script of the workspace.
func (e *environment) script(path string) (string, error) {
	name, err := e.ws.Clean(path)
	if err != nil {
		return "", err
	}
	info, err := e.ws.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("run %s: it is not a file", path)
	}
	return filepath.Join(e.home(), name), nil
}
