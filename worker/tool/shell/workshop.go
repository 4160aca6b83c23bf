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

// workshop is where programs are made ready: what they are told, and where they run.
type workshop struct {
	ws       *workspace.Workspace
	options  Options
	children *children
	scratch  *scratch
}

// environment is all that a program is told.
func (w *workshop) environment(more ...string) []string {
	o := w.options
	env := []string{"PATH=" + o.Path, "HOME=" + w.home(), "LANG=C.UTF-8"}
	for _, v := range [][2]string{{"USER", o.User}, {"TZ", o.Zone}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return append(append(env, o.Env...), more...)
}

// home is the absolute path of the workspace, where that can be told.
func (w *workshop) home() string {
	if home, err := filepath.Abs(w.options.Home); err == nil {
		return home
	}
	return w.options.Home
}

// temporary is the workspace's name of the folder for temporary files, "" where that is elsewhere.
func (w *workshop) temporary() string {
	name, err := filepath.Rel(w.home(), w.options.Temp)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

// program is a command that has nothing yet but where it runs and what it is told.
func (w *workshop) program(dir string, env []string, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// folder is the path of a folder of the workspace, "" its top.
func (w *workshop) folder(dir string) (string, error) {
	if dir == "" {
		return w.home(), nil
	}
	name, err := w.ws.Clean(dir)
	if err != nil {
		return "", err
	}
	info, err := w.ws.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", errors.New("run in " + dir + ": it is a file, not a folder")
	}
	return filepath.Join(w.home(), name), nil
}

// find is the path of the first of some programs that is there, as a child would find it.
func (w *workshop) find(names ...string) (string, bool) {
	for _, name := range names {
		for _, dir := range strings.Split(w.options.Path, ":") {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, true
			}
		}
	}
	return "", false
}

// shell is the path of the shell.
func (w *workshop) shell() (string, error) {
	if shell, ok := w.find("bash", "sh"); ok {
		return shell, nil
	}
	return "", fmt.Errorf("there is neither bash nor sh in %s", w.options.Path)
}

// script is the absolute path of a script of the workspace.
func (w *workshop) script(path string) (string, error) {
	name, err := w.ws.Clean(path)
	if err != nil {
		return "", err
	}
	info, err := w.ws.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("run %s: it is not a file", path)
	}
	return filepath.Join(w.home(), name), nil
}
