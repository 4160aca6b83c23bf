package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// account is an OS account with its group.
type account struct{ uid, gid uint32 }

// firstPersonUID is the first uid that is not the system's own (login.defs: UID_MIN).
const firstPersonUID = 1000

// lastPersonUID is the last uid that systems give to people (login.defs: UID_MAX).
const lastPersonUID = 60000

// entry finds the fields of a name in passwd or group.
func (m machine) entry(file, name string) ([]string, error) {
	text, err := m.read(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); len(fields) > 3 && fields[0] == name {
			return fields, nil
		}
	}
	return nil, nil
}

// account finds an account of the installed system.
func (m machine) account(name string) (a account, found bool, err error) {
	fields, err := m.entry("/etc/passwd", name)
	if err != nil || fields == nil {
		return a, false, err
	}
	uid, err1 := strconv.ParseUint(fields[2], 10, 32)
	gid, err2 := strconv.ParseUint(fields[3], 10, 32)
	return account{uint32(uid), uint32(gid)}, true, errors.Join(err1, err2)
}

// group finds a group of the installed system, with its members.
func (m machine) group(name string) (gid int, members []string, found bool, err error) {
	fields, err := m.entry("/etc/group", name)
	if err != nil || fields == nil {
		return 0, nil, false, err
	}
	gid, err = strconv.Atoi(fields[2])
	return gid, strings.Split(fields[3], ","), true, err
}

// prefix are the arguments with which the programs of accounts change an image.
func (m machine) prefix(args ...string) []string {
	if m.image {
		return append([]string{"--prefix", m.root}, args...)
	}
	return args
}

// checkPeople refuses a person whose account can't be used, before anything is written.
func (in *Installer) checkPeople() error {
	others, err := in.others()
	if err != nil {
		return err
	}
	for _, p := range in.record.Answers.People {
		name := in.layout.accountOf(p)
		if name == "" {
			continue
		}
		a, found, err := in.machine.account(name)
		if err != nil {
			return err
		}
		other, theirs := ownerOf(name, others)
		switch made := slices.Contains(in.record.Accounts, name); {
		case name == in.layout.account() || name == in.layout.people():
			return fmt.Errorf(textServicesName, name, p.Name)
		case theirs:
			return fmt.Errorf(textOthersAccount, name, p.Name, other)
		case p.Account == accountNew && found && !made:
			return fmt.Errorf(textAccountTaken, name, p.Name)
		case p.Account == accountOwn && !found:
			return fmt.Errorf(textNoAccount, name, p.Name)
		case found && min(a.uid, a.gid) < firstPersonUID:
			return fmt.Errorf(textSystemAccount, name, a.uid)
		}
	}
	return nil
}

// ownerOf returns the unit of the instance whose record names an account.
func ownerOf(name string, others map[Layout]record) (unit string, found bool) {
	for l, r := range others {
		if slices.Contains(r.Accounts, name) ||
			slices.ContainsFunc(r.Answers.People, func(p Person) bool { return l.accountOf(p) == name }) {
			return l.unit(), true
		}
	}
	return "", false
}

// accountSteps make the groups and accounts.
func (in *Installer) accountSteps() (steps []step) {
	l := in.layout
	steps = append(steps, in.groupStep(l.people()), in.accountStep(l.account(),
		fmt.Sprintf(textServiceAccount, l.account()), "--system", "--user-group", "--no-create-home",
		"--home-dir", l.state(), "--shell", "/usr/sbin/nologin"))
	for _, p := range in.record.Answers.People {
		name := l.accountOf(p)
		if name == "" {
			continue
		}
		if p.Account == accountNew {
			steps = append(steps, in.accountStep(name, fmt.Sprintf(textPersonAccount, name, p.Name),
				"--user-group", "--no-create-home", "--home-dir", l.homes()+"/"+p.Name, "--shell", "/usr/sbin/nologin"))
		}
		steps = append(steps, in.memberStep(name))
	}
	return steps
}

func (in *Installer) groupStep(name string) step {
	return step{name: "group " + name, about: fmt.Sprintf(textGroup, name),
		state: func() (state, error) {
			_, _, found, err := in.machine.group(name)
			return state{done: found}, err
		},
		do: func(ctx context.Context) error {
			note(&in.record.Groups, name)
			if err := in.save(); err != nil {
				return err
			}
			return in.machine.change(ctx, "groupadd", in.machine.prefix("--system", name)...)
		}}
}

func (in *Installer) accountStep(name, about string, args ...string) step {
	return step{name: "account " + name, about: about,
		state: func() (state, error) {
			_, found, err := in.machine.account(name)
			return state{done: found}, err
		},
		do: func(ctx context.Context) error {
			note(&in.record.Accounts, name)
			if err := in.save(); err != nil {
				return err
			}
			return in.machine.change(ctx, "useradd", in.machine.prefix(append(args, name)...)...)
		}}
}

// memberStep lets a person's account reach the socket, which `mews chat` needs.
func (in *Installer) memberStep(name string) step {
	group := in.layout.people()
	return step{name: "member " + name, about: fmt.Sprintf(textMember, name, group),
		state: func() (state, error) {
			_, members, _, err := in.machine.group(group)
			return state{done: slices.Contains(members, name)}, err
		},
		do: func(ctx context.Context) error {
			return in.machine.change(ctx, "usermod", in.machine.prefix("--append", "--groups", group, name)...)
		}}
}
