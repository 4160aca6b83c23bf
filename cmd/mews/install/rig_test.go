package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// errKilled ends a run like a kill.
var errKilled = errors.New("killed")

// rig is a fake machine below a folder: files are real, and accounts and systemd are faked by its
// commands, which refuse what the real ones refuse.
type rig struct {
	t       *testing.T
	root    string
	source  string
	version string
	facts   Facts
	out     bytes.Buffer
	left    int // changes until the kill; negative means no kill
	ran     []string
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, root: t.TempDir(), source: t.TempDir(), version: "v1", left: -1,
		facts: Facts{Systemd: 252, Kernel: "6.1.0-13-amd64", Memory: 4 << 30, Swap: 1 << 30, Zone: "Europe/Madrid"}}
	r.put("etc/passwd", "root:x:0:0::/root:/bin/sh\ncarl:x:1000:1000::/home/carl:/bin/sh\n")
	r.put("etc/group", "root:x:0:\ncarl:x:1000:\n")
	r.put("run/units", "")
	r.build("one")
	return r
}

// build makes the three programs with a content.
func (r *rig) build(content string) {
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(r.source, name), []byte(name+content), 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) put(path, text string) {
	r.t.Helper()
	path = filepath.Join(r.root, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) get(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.root, path))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// open makes an installer, as a new process would.
func (r *rig) open(instance string) *Installer {
	r.t.Helper()
	l, err := NewLayout(instance)
	if err != nil {
		r.t.Fatal(err)
	}
	in, err := New(Options{Layout: l, Root: r.root, Version: r.version, Source: r.source, Out: &r.out, Facts: r.facts,
		Command: r.command, Changed: r.changed})
	if err != nil {
		r.t.Fatal(err)
	}
	in.machine.image = false
	return in
}

func (r *rig) changed() error {
	if r.left == 0 {
		return errKilled
	}
	r.left--
	return nil
}

// command is the fake of the programs that the installer calls.
func (r *rig) command(_ context.Context, name string, args ...string) (string, error) {
	r.ran = append(r.ran, name+" "+strings.Join(args, " "))
	last := args[len(args)-1]
	if strings.HasSuffix(name, "/mews") && args[0] == "restore" {
		return r.restore(args[1])
	}
	switch name {
	case "sh":
		return r.backUp(args)
	case "groupadd":
		return "", r.addLine("etc/group", last, last+":x:%d:\n", 900)
	case "useradd":
		first := 1001
		if args[0] == "--system" || len(args) > 2 && args[2] == "--system" {
			first = 900
		}
		if err := r.addLine("etc/group", last, last+":x:%d:\n", first); err != nil {
			return "", err
		}
		gid := strings.Split(r.line("etc/group", last), ":")[2]
		return "", r.addLine("etc/passwd", last, last+":x:"+gid+":"+gid+"::/:/usr/sbin/nologin\n", 0)
	case "usermod":
		group := args[len(args)-2]
		line := r.line("etc/group", group)
		if line == "" || r.line("etc/passwd", last) == "" {
			return "", fmt.Errorf("usermod: no %s or %s", group, last)
		}
		members := strings.TrimSuffix(line+","+last, ",")
		r.put("etc/group", strings.Replace(r.get("etc/group"), line, strings.Replace(members, ":,", ":", 1), 1))
		return "", nil
	case "userdel", "groupdel":
		file := map[string]string{"userdel": "etc/passwd", "groupdel": "etc/group"}[name]
		line := r.line(file, last)
		if line == "" {
			return "", fmt.Errorf("%s: %s does not exist", name, last)
		}
		r.put(file, strings.Replace(r.get(file), line+"\n", "", 1))
		return "", nil
	case "apparmor_parser":
		_, err := os.Stat(last)
		return "", err
	case "systemctl":
		return r.systemctl(args, last)
	}
	return "", fmt.Errorf("no program %s", name)
}

func (r *rig) systemctl(args []string, last string) (string, error) {
	unit, file := strings.TrimSuffix(last, ".service"), last
	if !strings.Contains(last, ".") {
		file += ".service"
	}
	wants := filepath.Join(r.root, "etc/systemd/system/multi-user.target.wants", file)
	file = "etc/systemd/system/" + file
	verb := args[0]
	if verb == "--root" {
		verb = args[2]
	}
	if _, err := os.Stat(filepath.Join(r.root, file)); err != nil && verb != "daemon-reload" {
		return "", fmt.Errorf("unit %s not found", unit)
	}
	switch verb {
	case "enable":
		err := errors.Join(os.MkdirAll(filepath.Dir(wants), 0o755), os.Symlink("/"+file, wants))
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return "", err
	case "disable":
		if err := os.Remove(wants); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		r.put("run/units", strings.ReplaceAll(r.get("run/units"), unit+"\n", ""))
	case "restart":
		if !strings.Contains(r.get("run/units"), unit+"\n") {
			r.put("run/units", r.get("run/units")+unit+"\n")
		}
	case "is-active":
		if !strings.Contains(r.get("run/units"), unit+"\n") {
			return "inactive", errors.New("inactive")
		}
		return "active", nil
	}
	return "", nil
}

// line returns the line of a name in passwd or group.
func (r *rig) line(file, name string) string {
	for line := range strings.Lines(r.get(file)) {
		if strings.HasPrefix(line, name+":") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// addLine adds a line with the first free number, and refuses a name that is there.
func (r *rig) addLine(file, name, format string, first int) error {
	if r.line(file, name) != "" {
		return fmt.Errorf("%s exists already", name)
	}
	if !strings.Contains(format, "%d") {
		r.put(file, r.get(file)+format)
		return nil
	}
	for strings.Contains(r.get(file), ":"+strconv.Itoa(first)+":") {
		first++
	}
	r.put(file, r.get(file)+fmt.Sprintf(format, first))
	return nil
}

// tree describes everything below the root folder: modes, owners, targets and contents.
func (r *rig) tree() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st, _ := machine{root: "/"}.status(path)
		text := fmt.Sprintf("%v %d:%d ", info.Mode(), st.Uid, st.Gid)
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(content)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += target
		}
		all[strings.TrimPrefix(path, r.root)] = text
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func some[T any](v T) *T { return &v }

// household are answers with each kind of account.
func household() Answers {
	return Answers{TokenFile: noTelegram, Model: offlineModel, Timezone: "Europe/Madrid", Month: some(20.0),
		Recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
		People: []Person{{Name: "ann", Admin: true, Account: accountNew}, {Name: "carl", Account: accountOwn},
			{Name: "dora"}}}
}

// install answers and applies, as one run of the program does.
func (r *rig) install(instance string, a Answers) error {
	in := r.open(instance)
	if err := in.Answer(a); err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	return in.Apply(context.Background())
}
