package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// The data of an earlier Mews come along as a backup. The earlier owner makes it, so that a worker of
// theirs reads the homes. The new service's account restores it, so that a worker of the new owner
// writes them. Root only opens the file between them.

// importFile is the backup of the earlier Mews, until it is restored.
func (l Layout) importFile() string { return "/opt/mews/import-" + l.unit() + ".tar.zst" }

// makeBackup writes a backup into the file $6, as the account $1 with the home $2. The state folder lies
// in $3. $4 is the program mews. $5 is the configuration; it may be "".
const makeBackup = `umask 077 && cd / && exec runuser -u "$1" -- env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$2" \
XDG_STATE_HOME="$3" "$4" backup --output - --plain ${5:+--config "$5"} >"$6"`

// checkFrom refuses a state folder that can't be taken along. It writes nothing.
func (in *Installer) checkFrom() error {
	from := in.record.Answers.From
	if from == "" || in.record.Imported {
		return nil
	}
	st, there := in.machine.status(from)
	switch {
	case in.machine.image:
		return errors.New(textFromImage)
	case !path.IsAbs(from) || !there || st.Mode&syscall.S_IFMT != syscall.S_IFDIR:
		return fmt.Errorf(textFromNoFolder, from)
	case in.record.Answers.FromConfig == "" && path.Base(from) != "mews":
		return fmt.Errorf(textFromConfig, from)
	case in.isRestored() && !in.machine.exists(in.layout.importFile()):
		return fmt.Errorf(textFromNotNew, in.layout.state())
	}
	if _, _, err := in.machine.owner(st.Uid); err != nil {
		return err
	}
	if conn, err := net.DialTimeout("unix", in.machine.path(path.Join(from, "control.sock")), time.Second); err == nil {
		return errors.Join(fmt.Errorf(textFromRuns, from), conn.Close())
	}
	return nil
}

// owner returns the name and the home of an account.
func (m machine) owner(uid uint32) (name, home string, err error) {
	text, err := m.read("/etc/passwd")
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) > 5 && fields[2] == fmt.Sprint(uid) {
			return fields[0], fields[5], nil
		}
	}
	return "", "", errors.Join(err, fmt.Errorf(textFromOwner, uid))
}

// isRestored reports whether the state folder has a database, and no restore is under way there.
func (in *Installer) isRestored() bool {
	private := path.Join(in.layout.state(), "private")
	return in.machine.exists(path.Join(private, "mews.db")) && !in.machine.exists(path.Join(private, "restore.json"))
}

// importStep backs up the earlier Mews.
func (in *Installer) importStep() step {
	file := in.layout.importFile()
	return step{name: "import", about: fmt.Sprintf(textImport, in.record.Answers.From),
		state: func() (state, error) {
			return state{done: in.record.Imported || in.machine.exists(file)}, nil
		},
		do: func(ctx context.Context) error {
			from := in.record.Answers.From
			st, _ := in.machine.status(from)
			name, home, err := in.machine.owner(st.Uid)
			if err != nil {
				return err
			}
			part := in.machine.path(file) + ".part"
			if err := os.RemoveAll(part); err != nil { // of a run that was killed
				return err
			}
			said, err := in.machine.command(ctx, "sh", "-c", makeBackup, "sh", name, home,
				in.machine.path(path.Dir(from)), in.machine.path(path.Join(in.layout.current(), "mews")),
				in.record.Answers.FromConfig, part)
			if err != nil {
				return err
			}
			if in.record.Answers.FromConfig == "" && !strings.Contains(said, in.machine.path(from)+"/") {
				return fmt.Errorf(textFromOther, name, from, said)
			}
			return in.finishImport(part)
		}}
}

// finishImport lets the service's group read the backup, and gives it its name.
func (in *Installer) finishImport(part string) error {
	gid, _, _, err := in.machine.group(in.layout.account())
	if err == nil {
		err = os.Chown(part, -1, gid)
	}
	if err == nil {
		err = os.Chmod(part, 0o640)
	}
	if err == nil {
		err = in.machine.changed()
	}
	if err == nil {
		err = os.Rename(part, in.machine.path(in.layout.importFile()))
	}
	return errors.Join(err, in.machine.changed())
}

// restoreSteps make the state folder and restore the backup there, before the service starts.
func (in *Installer) restoreSteps() []step {
	l := in.layout
	return []step{
		{name: "state", about: fmt.Sprintf(textFolder, l.state(), l.account(), 0o711),
			state: func() (state, error) {
				st, there := in.machine.status(l.state())
				a, found, err := in.machine.account(l.account())
				return state{done: there && found && st.Uid == a.uid}, err
			},
			do: func(context.Context) error { return in.makeState() }},
		{name: "restore", about: fmt.Sprintf(textRestore, l.state()),
			state: func() (state, error) {
				return state{done: in.record.Imported && !in.machine.exists(l.importFile())}, nil
			},
			do: in.restore},
	}
}

// makeState makes the empty state folder, and gives it to the service's account.
func (in *Installer) makeState() error {
	dir := in.layout.state()
	if !in.machine.exists(dir) {
		if err := in.machine.mkdirs(path.Dir(dir)); err != nil {
			return err
		}
		if err := in.machine.mkdir(dir, 0o711); err != nil {
			return err
		}
	}
	a, found, err := in.machine.account(in.layout.account())
	if err != nil || !found {
		return errors.Join(err, fs.ErrNotExist)
	}
	if err := giveEmpty(in.machine.path(dir), a); err != nil {
		return err
	}
	return in.machine.changed()
}

// restore restores the backup, unless a run that was killed has done it, and deletes it.
func (in *Installer) restore(ctx context.Context) error {
	l := in.layout
	if !in.isRestored() {
		said, err := in.machine.command(ctx, in.machine.path(path.Join(l.current(), "mews")), "restore",
			in.machine.path(l.importFile()), "--config", in.machine.path(l.Config()))
		if err != nil {
			return err
		}
		fmt.Fprintln(in.Out, said)
		if err := in.machine.changed(); err != nil {
			return err
		}
	}
	in.record.Imported, in.record.Restart = true, true
	if err := in.save(); err != nil {
		return err
	}
	return in.machine.remove(l.importFile())
}
