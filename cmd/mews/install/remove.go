package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mews/supervisor/release"
)

// Removal says which data an uninstallation deletes too.
type Removal struct {
	State bool // the database and all that lies in the state folder
	Homes bool // the homes of people with an account
}

// Remove takes the service away. Edited files stay, and so do data that o does not name. It can be run again after it was killed.
func (in *Installer) Remove(ctx context.Context, o Removal) error {
	if !in.found {
		return fmt.Errorf(textNotInstalled, in.layout.recordFile())
	}
	if err := in.stop(ctx); err != nil {
		return err
	}
	if err := in.removeLinks(); err != nil {
		return err
	}
	if err := in.removeData(ctx, o); err != nil {
		return err
	}
	if err := in.removeAccounts(ctx, o); err != nil {
		return err
	}
	kept, err := in.removeFiles()
	if err != nil {
		return err
	}
	if !in.machine.image {
		if err := in.machine.change(ctx, "systemctl", "daemon-reload"); err != nil {
			return err
		}
	}
	if err := in.removePrograms(); err != nil {
		return err
	}
	for _, file := range kept {
		fmt.Fprintf(in.Out, textLeftFile, file)
	}
	if err := in.endRecord(o); err != nil {
		return err
	}
	_ = in.machine.remove(in.layout.etc()) // it stays with what a person has put there
	_, err = fmt.Fprintf(in.Out, textRemoved, in.layout.unit())
	return err
}

// endRecord removes the record. While accounts or data are left, it keeps what a later installation
// must know of them.
func (in *Installer) endRecord(o Removal) error {
	if o.State && o.Homes {
		return in.machine.remove(in.layout.recordFile())
	}
	earlier := in.record
	in.record = record{Accounts: earlier.Accounts, Folders: earlier.Folders, FirstUID: earlier.FirstUID}
	if !o.State { // the backups in the state folder need the key of this recipient
		in.record.Answers.Recipient = earlier.Answers.Recipient
	}
	return in.save()
}

// stop ends the service and its wait for updates, and keeps both from starting again.
func (in *Installer) stop(ctx context.Context) error {
	if err := in.disable(ctx, in.layout.updateUnit()); err != nil {
		return err
	}
	return in.disable(ctx, in.layout.unit()+".service")
}

func (in *Installer) disable(ctx context.Context, unit string) error {
	if !in.machine.exists("/etc/systemd/system/" + unit) {
		return nil
	}
	if in.machine.image {
		return in.machine.change(ctx, "systemctl", "--root", in.machine.root, "disable", "--quiet", unit)
	}
	return in.machine.change(ctx, "systemctl", "disable", "--quiet", "--now", unit)
}

// removeLinks removes the links that lead to the programs.
func (in *Installer) removeLinks() error {
	current := in.layout.current()
	for _, s := range [][2]string{{in.layout.command(), path.Join(current, "mews")}, {current, ""}} {
		if s[0] == "" {
			continue
		}
		if err := in.machine.remove(s[0] + ".part"); err != nil { // of a run that was killed
			return err
		}
		target, err := os.Readlink(in.machine.path(s[0]))
		if err != nil || s[1] != "" && target != s[1] {
			continue // there is none, or it is another's
		}
		if err := in.machine.remove(s[0]); err != nil {
			return err
		}
	}
	return nil
}

// removeFiles removes the secrets, and the files that nobody has edited.
func (in *Installer) removeFiles() (kept []string, err error) {
	files := []string{in.layout.unitFile(), in.layout.updatePath()}
	for file := range in.record.Written {
		files = append(files, file)
	}
	others, err := in.otherLinks()
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool { return shared[file] != "" })
	if !others {
		files = slices.AppendSeq(files, maps.Keys(shared))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		text, err := in.machine.read(file)
		if err != nil || text == nil || file == in.layout.recordFile() {
			continue
		}
		if !in.isOurs(file, text) {
			kept = append(kept, file)
			continue
		}
		if err := in.machine.remove(file); err != nil {
			return kept, err
		}
	}
	for _, name := range Secrets {
		if err := in.machine.remove(path.Join(in.layout.etc(), name)); err != nil {
			return kept, err
		}
	}
	_ = in.machine.remove(path.Dir(in.layout.dropIn())) // it stays with drop-ins of a person's own
	return kept, nil
}

// otherLinks reports whether another instance has programs. The own link is gone.
func (in *Installer) otherLinks() (bool, error) {
	others, err := release.ListInstances(in.machine.path(path.Dir(versions)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return len(others) > 0, err
}

// shared are the files for all instances, by their names in deploy. They go with the last one.
var shared = map[string]string{appArmorFile: "apparmor/mews-spawner",
	updateService: "systemd/mews-update.service"}

// isOurs reports whether the installer has written a content. A shared file may have been written
// for another instance, and is then as deploy has it.
func (in *Installer) isOurs(file string, text []byte) bool {
	want, err := Layout{}.deployed(shared[file])
	return in.record.isOurs(file, text) || err == nil && string(text) == want
}

// removePrograms removes the versions that no instance uses.
func (in *Installer) removePrograms() error {
	if others, err := in.otherLinks(); err != nil || others {
		return err
	}
	for _, link := range []string{release.UpdaterLink, release.UpdaterLink + ".part"} {
		if err := in.machine.remove(link); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(in.machine.path(versions)); err != nil { // root's own folder, made by the installer
		return err
	}
	if err := in.machine.changed(); err != nil {
		return err
	}
	_ = in.machine.remove(path.Dir(versions)) // it stays with what a person has put there
	return nil
}

// removeData deletes the data that o names. Each folder is emptied by its owner, so root follows no
// link of theirs; root removes only the empty folder.
func (in *Installer) removeData(ctx context.Context, o Removal) error {
	var folders []string
	if o.Homes {
		folders = append(folders, in.record.Folders...)
	}
	if o.State {
		inState, err := filepath.Glob(in.machine.path(path.Join(in.layout.state(), "homes", "*")))
		if err != nil {
			return err
		}
		for _, folder := range inState {
			folders = append(folders, strings.TrimPrefix(folder, strings.TrimSuffix(in.machine.root, "/")))
		}
		folders = append(folders, in.layout.state())
	}
	for _, folder := range folders {
		if err := in.removeFolder(ctx, folder); err != nil {
			return err
		}
	}
	if o.Homes {
		_ = in.machine.remove(in.layout.homes()) // it stays with homes of others
	}
	return nil
}

func (in *Installer) removeFolder(ctx context.Context, folder string) error {
	st, there := in.machine.status(folder)
	if !there {
		return nil
	}
	if st.Uid == 0 {
		if err := in.machine.remove(folder); err != nil {
			return fmt.Errorf(textRootsFolder, folder, err)
		}
		return nil
	}
	err := in.machine.change(ctx, "setpriv", fmt.Sprintf("--reuid=%d", st.Uid), fmt.Sprintf("--regid=%d", st.Gid),
		"--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs",
		"find", in.machine.path(folder), "-mindepth", "1", "-delete")
	if err == nil {
		err = in.machine.remove(folder)
	}
	return err
}

// removeAccounts removes the accounts and groups that the installer has made, unless they still own
// data.
func (in *Installer) removeAccounts(ctx context.Context, o Removal) error {
	groups := slices.Clone(in.record.Groups)
	for _, name := range in.record.Accounts {
		home := o.Homes
		if name == in.layout.account() {
			home = o.State
		}
		_, found, err := in.machine.account(name)
		if err != nil {
			return err
		}
		if !home {
			continue
		}
		groups = append(groups, name) // userdel keeps it on some systems
		if !found {
			continue
		}
		if err := in.machine.change(ctx, "userdel", in.machine.prefix(name)...); err != nil {
			return err
		}
	}
	for _, name := range groups {
		_, _, found, err := in.machine.group(name)
		if err != nil {
			return err
		}
		if found {
			if err := in.machine.change(ctx, "groupdel", in.machine.prefix(name)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// DataOf describes the data that a removal would delete, for the admin who confirms it.
func (in *Installer) DataOf(o Removal) (list []string) {
	if o.State {
		list = append(list, in.layout.state())
	}
	if o.Homes {
		list = append(list, in.record.Folders...)
	}
	return slices.DeleteFunc(list, func(folder string) bool {
		_, err := os.Lstat(in.machine.path(folder))
		return errors.Is(err, fs.ErrNotExist)
	})
}
