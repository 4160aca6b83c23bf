package program

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// DefaultPath is a PATH with the system's own program folders.
const DefaultPath = "/usr/local/bin:/usr/bin:/bin"

// Environment describes the environment of programs. A program sees only these variables, and none
// of this process.
type Environment struct {
	Home string   // absolute path of the folder in which programs start, and their variable HOME
	User string   // variable USER; "" means no such variable
	Zone string   // variable TZ, an IANA name; "" means no such variable
	Path string   // variable PATH; "" means DefaultPath
	Env  []string // variables that the walls need, each as NAME=VALUE
}

// Variables returns all variables of a program's environment, and the variables in more.
func (e Environment) Variables(more ...string) []string {
	env := []string{"PATH=" + cmp.Or(e.Path, DefaultPath), "HOME=" + e.Home, "LANG=C.UTF-8"}
	for _, v := range [][2]string{{"USER", e.User}, {"TZ", e.Zone}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return append(append(env, e.Env...), more...)
}

// FindProgram returns the path of the first program in names that exists. It searches the folders
// of Path. A name may also be an absolute path.
func (e Environment) FindProgram(names ...string) (string, bool) {
	for _, name := range names {
		for dir := range strings.SplitSeq(cmp.Or(e.Path, DefaultPath), ":") {
			file := filepath.Join(dir, name)
			if filepath.IsAbs(name) {
				file = name
			}
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, true
			}
		}
	}
	return "", false
}

// DescribeExit describes a program's end in words: "exit 0", "ended by a signal: killed".
func DescribeExit(state *os.ProcessState) string {
	if state == nil {
		return "ended in an unknown way"
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "ended by a signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit %d", state.ExitCode())
}
