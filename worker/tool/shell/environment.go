package shell

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"

	"mews/worker/program"
	"mews/worker/workspace"
)

// environment holds the folder, the variables and the files of programs. It does not change.
type environment struct {
	program.Environment // environment of programs; Home is the workspace
	ws                  *workspace.Workspace
	options             Options
	temp                *tempFolder
}

// tempName returns the name of the temporary folder in the workspace; "" if the folder is
// elsewhere.
func (e *environment) tempName() string { return TempName(e.Home, e.options.Temp) }

// TempName returns the name of the folder temp in a home; "" if the folder is elsewhere.
func TempName(home, temp string) string {
	name, err := filepath.Rel(home, temp)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

// newCommand returns a command with this folder and these variables.
func (e *environment) newCommand(dir string, env []string, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	return cmd
}

// folder returns the absolute path of a folder of the workspace; "" is the top.
func (e *environment) folder(dir string) (string, error) {
	if dir == "" {
		return e.Home, nil
	}
	path, mode, err := e.locate(dir)
	if err == nil && !mode.IsDir() {
		err = fmt.Errorf("run in %s: it is a file, not a folder", dir)
	}
	return path, err
}

// script returns the absolute path of a script of the workspace.
func (e *environment) script(name string) (string, error) {
	path, mode, err := e.locate(name)
	if err == nil && !mode.IsRegular() {
		err = fmt.Errorf("run %s: it is not a file", name)
	}
	return path, err
}

// locate returns the absolute path of a name in the workspace, and its type.
func (e *environment) locate(name string) (string, fs.FileMode, error) {
	clean, err := e.ws.CleanPath(name)
	if err != nil {
		return "", 0, err
	}
	info, err := e.ws.Stat(name)
	if err != nil {
		return "", 0, err
	}
	return filepath.Join(e.Home, clean), info.Mode(), nil
}

// shell returns the path of bash, or else of sh.
func (e *environment) shell() (string, error) {
	if shell, ok := e.FindProgram("bash", "sh"); ok {
		return shell, nil
	}
	return "", fmt.Errorf("there is neither bash nor sh in %s", e.Path)
}
