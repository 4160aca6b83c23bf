package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mews/supervisor/release"
)

// step is one change of the system. It finds out by itself whether it is done.
type step struct {
	name  string // unique
	about string // what it makes: the file, its owner and its mode
	state func() (state, error)
	do    func(ctx context.Context) error
}

// state is how the system is, as far as a step is concerned.
type state struct {
	done bool
	// edited is what a person has changed; "" means nothing. The installer leaves it as it is.
	edited string
}

// steps returns the table of steps, in their order.
func (in *Installer) steps() []step {
	l := in.layout
	steps := []step{in.recordStep()}
	steps = append(steps, in.accountSteps()...)
	steps = append(steps, in.programsStep(), in.linkStep(l.current(), "versions/"+in.Version), in.updaterStep())
	if l.command() != "" {
		steps = append(steps, in.linkStep(l.command(), path.Join(l.current(), "mews")))
	}
	if in.record.Answers.From != "" {
		steps = append(steps, in.importStep())
	}
	for _, name := range in.record.Answers.secrets() {
		steps = append(steps, in.secretStep(name))
	}
	steps = append(steps, in.identityStep())
	steps = append(steps, in.fileSteps()...)
	steps = append(steps, in.homeSteps()...)
	if in.record.Answers.From != "" {
		steps = append(steps, in.restoreSteps()...)
	}
	return append(steps, in.serviceSteps()...)
}

// recordStep keeps the answers, so that a later run needs none.
func (in *Installer) recordStep() step {
	return step{name: "record", about: fmt.Sprintf(textFile, in.layout.recordFile(), "root", 0o600),
		state: func() (state, error) {
			_, found, err := readRecord(in.machine, in.layout)
			return state{done: found && !in.answered}, err
		},
		do: func(context.Context) error { in.answered = false; return in.save() }}
}

// fileSteps write the files that follow from the answers and from deploy.
func (in *Installer) fileSteps() (steps []step) {
	l := in.layout
	deployed := func(name string) func() (string, error) {
		return func() (string, error) { return l.deployed(name) }
	}
	group := func() int {
		gid, _, _, _ := in.machine.group(l.account()) // an error is one of an earlier step
		return gid
	}
	steps = append(steps,
		in.fileStep(l.policy(), 0o644, nil, in.renderPolicy),
		in.fileStep(l.Config(), 0o640, group, func() (string, error) { return in.renderConfig(), nil }),
		in.fileStep(l.unitFile(), 0o644, nil, deployed("systemd/mews.service")),
		in.fileStep(l.dropIn(), 0o644, nil, func() (string, error) { return in.renderDropIn(), nil }))
	if in.facts.NoUsers {
		steps = append(steps, in.fileStep(l.noNamespaces(), 0o644, nil,
			deployed("systemd/mews.service.d/no-user-namespaces.conf")))
	}
	steps = append(steps, in.fileStep(l.updatePath(), 0o644, nil, deployed("systemd/mews-update.path")))
	files := []string{updateService}
	if in.facts.AppArmor {
		files = append(files, appArmorFile)
	}
	for _, file := range files {
		steps = append(steps, in.fileStep(file, 0o644, nil, func() (string, error) {
			return Layout{}.deployed(shared[file])
		}))
	}
	return steps
}

// updateService is the unit that installs updates. It serves all instances.
const updateService = "/etc/systemd/system/mews-update.service"

const appArmorFile = "/etc/apparmor.d/mews-spawner"

// fileStep writes one file. It never overwrites what a person has edited. group returns the file's
// group; nil means root.
func (in *Installer) fileStep(file string, mode fs.FileMode, group func() int, render func() (string, error)) step {
	owner := "root"
	if group != nil {
		owner = "root:" + in.layout.account()
	}
	return step{name: "file " + file, about: fmt.Sprintf(textFile, file, owner, mode),
		state: func() (state, error) {
			want, err := render()
			if err != nil {
				return state{}, err
			}
			return in.fileState(file, want, mode, group)
		},
		do: func(context.Context) error {
			text, err := render()
			if err != nil {
				return err
			}
			in.record.wrote(file, []byte(text))
			in.record.Restart = true
			if err := in.save(); err != nil {
				return err
			}
			gid := 0
			if group != nil {
				gid = group()
			}
			return in.machine.write(file, []byte(text), mode, gid)
		}}
}

// fileState compares a file with the wanted content.
func (in *Installer) fileState(file, want string, mode fs.FileMode, group func() int) (state, error) {
	st, there := in.machine.status(file)
	if !there {
		return state{}, nil
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return state{edited: fmt.Sprintf(textNoFile, file)}, nil
	}
	have, err := in.machine.read(file)
	switch {
	case err != nil:
		return state{}, err
	case st.Uid != uint32(os.Getuid()):
		return state{edited: fmt.Sprintf(textOwner, file, st.Uid, file)}, nil
	case group != nil && string(have) == want && int(st.Gid) != group():
		return state{edited: fmt.Sprintf(textGroupOf, file, st.Gid, in.layout.account(), file)}, nil
	case string(have) == want && fs.FileMode(st.Mode&0o777) != mode:
		return state{edited: fmt.Sprintf(textMode, file, st.Mode&0o777, mode)}, nil
	case string(have) == want:
		return state{done: true}, nil
	case in.record.isOurs(file, have):
		return state{}, nil
	}
	return state{edited: fmt.Sprintf(textEdited, file) + lineDiff(string(have), want)}, nil
}

// programsStep puts the four programs into the folder of their version, all at once.
func (in *Installer) programsStep() step {
	dir := path.Join(versions, in.Version)
	return step{name: "programs", about: fmt.Sprintf(textPrograms, dir),
		state: func() (state, error) {
			if err := in.checkFolders(); err != nil {
				return state{}, err
			}
			if there, err := in.rootsFolder(dir); !there || err != nil {
				return state{}, err
			}
			for _, name := range programs {
				if st, there := in.machine.status(path.Join(dir, name)); there && !isRoots(st) {
					return state{}, fmt.Errorf(textOpenProgram, path.Join(dir, name))
				}
				same, err := sameContent(filepath.Join(in.Source, name), in.machine.path(path.Join(dir, name)))
				if err != nil || !same {
					return state{}, errors.Join(err, fmt.Errorf(textOtherPrograms, dir, name))
				}
			}
			return state{done: true}, nil
		},
		do: func(context.Context) error { return in.copyPrograms(dir) }}
}

func (in *Installer) copyPrograms(dir string) error {
	part := path.Join(versions, "."+in.Version+".part")
	if err := os.RemoveAll(in.machine.path(part)); err != nil { // of a run that was killed
		return err
	}
	if err := in.machine.mkdirs(part); err != nil {
		return err
	}
	for _, name := range programs {
		if err := in.copyProgram(filepath.Join(in.Source, name), path.Join(part, name)); err != nil {
			return err
		}
	}
	if err := os.Rename(in.machine.path(part), in.machine.path(dir)); err != nil {
		return err
	}
	return in.machine.changed()
}

func (in *Installer) copyProgram(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return fmt.Errorf(textNoProgram, err)
	}
	return errors.Join(in.machine.place(to, file, 0o755, 0), file.Close())
}

// sameContent reports whether two files have the same content.
func sameContent(a, b string) (bool, error) {
	one, err1 := os.Open(a)
	two, err2 := os.Open(b)
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	defer one.Close()
	defer two.Close()
	left, right := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err1 := io.ReadFull(one, left)
		m, err2 := io.ReadFull(two, right)
		if n != m || string(left[:n]) != string(right[:m]) {
			return false, nil
		}
		if err1 != nil || err2 != nil {
			return isEnd(err1) && isEnd(err2), nil
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// linkStep makes a symbolic link. It replaces only a link to another program of Mews.
func (in *Installer) linkStep(file, target string) step {
	want := target
	if !path.IsAbs(want) {
		want = path.Join(path.Dir(file), want)
	}
	return step{name: "link " + file, about: fmt.Sprintf(textLink, file, target),
		state: func() (state, error) {
			have, err := os.Readlink(in.machine.path(file))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return state{}, nil
			case errors.Is(err, syscall.EINVAL):
				return state{edited: fmt.Sprintf(textNoLink, file, target)}, nil
			case err != nil:
				return state{}, err
			}
			if !path.IsAbs(have) {
				have = path.Join(path.Dir(file), have)
			}
			if !strings.HasPrefix(path.Clean(have), "/opt/mews/") {
				return state{edited: fmt.Sprintf(textNoLink, file, target)}, nil
			}
			return state{done: path.Clean(have) == want}, nil
		},
		do: func(context.Context) error {
			in.record.Restart = true
			if err := in.save(); err != nil {
				return err
			}
			return in.machine.link(target, file)
		}}
}

// updaterStep makes the link to the version that installs updates. A link to a newer version stays,
// because another instance may have it.
func (in *Installer) updaterStep() step {
	s := in.linkStep(release.UpdaterLink, "versions/"+in.Version)
	of := s.state
	s.state = func() (state, error) {
		st, err := of()
		target, linkErr := os.Readlink(in.machine.path(release.UpdaterLink))
		there, badLink := release.ParseVersion(path.Base(target))
		own, badOwn := release.ParseVersion(in.Version)
		if errors.Join(err, linkErr, badLink, badOwn) == nil && st.edited == "" && there.Compare(own) > 0 {
			st.done = in.machine.exists(path.Join(versions, there.String(), "mews-update"))
		}
		return st, err
	}
	return s
}

// homeSteps make the homes of people with an account.
func (in *Installer) homeSteps() (steps []step) {
	dir := in.layout.homes()
	steps = append(steps, step{name: "folder " + dir, about: fmt.Sprintf(textFolder, dir, "root", 0o755),
		state: func() (state, error) { there, err := in.rootsFolder(dir); return state{done: there}, err },
		do:    func(context.Context) error { return in.machine.mkdirs(dir) }})
	for _, p := range in.record.Answers.People {
		if name := in.layout.accountOf(p); name != "" {
			steps = append(steps, in.homeStep(path.Join(dir, p.Name), name))
		}
	}
	return steps
}

// homeStep makes an empty folder and gives it to an account. Another folder is never given away.
func (in *Installer) homeStep(dir, name string) step {
	return step{name: "home " + dir, about: fmt.Sprintf(textFolder, dir, name, 0o700),
		state: func() (state, error) {
			st, there := in.machine.status(dir)
			a, found, err := in.machine.account(name)
			switch {
			case err != nil || !there || !found:
				return state{}, err
			case st.Uid == a.uid && st.Mode&syscall.S_IFMT == syscall.S_IFDIR:
				return state{done: true}, nil
			case st.Uid == 0 && slices.Contains(in.record.Folders, dir):
				return state{}, nil // made by a run that was killed before it gave the folder away
			}
			return state{edited: fmt.Sprintf(textForeignHome, dir, st.Uid, name)}, nil
		},
		do: func(context.Context) error { return in.makeHome(dir, name) }}
}

func (in *Installer) makeHome(dir, name string) error {
	if !in.machine.exists(dir) {
		note(&in.record.Folders, dir)
		if err := in.save(); err != nil {
			return err
		}
		if err := in.machine.mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	a, _, err := in.machine.account(name)
	if err != nil {
		return err
	}
	if err := giveEmpty(in.machine.path(dir), a); err != nil {
		return err
	}
	return in.machine.changed()
}

// giveEmpty gives an empty folder of root's to an account.
func giveEmpty(dir string, a account) (err error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	folder := os.NewFile(uintptr(fd), dir)
	defer func() { err = errors.Join(err, folder.Close()) }()
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Uid != uint32(os.Getuid()) {
		return errors.Join(err, fmt.Errorf(textNotRoots, dir))
	}
	if names, err := folder.Readdirnames(1); len(names) > 0 || !errors.Is(err, io.EOF) {
		return fmt.Errorf(textNotEmpty, dir)
	}
	return folder.Chown(int(a.uid), int(a.gid))
}

// lineDiff shows the lines of have with - and those of want with +, without the common ones.
func lineDiff(have, want string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	// common[i][j] is the number of common lines of a[i:] and b[j:]
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&out, "  - %s\n", a[i])
			i++
		default:
			fmt.Fprintf(&out, "  + %s\n", b[j])
			j++
		}
	}
	return out.String()
}
