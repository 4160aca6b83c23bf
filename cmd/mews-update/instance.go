package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mews/supervisor/release"
)

// instance is a service of its own. The value is "", or "-NAME" for a further instance.
type instance string

const firstLink = "opt/mews/current"

func (i instance) link() string   { return firstLink + string(i) }
func (i instance) unit() string   { return "mews" + string(i) + ".service" }
func (i instance) state() string  { return "var/lib/mews" + string(i) }
func (i instance) config() string { return "etc/mews" + string(i) + "/mews.yaml" }
func (i instance) file() string   { return "trial" + string(i) }

// instances lists the instances by their links, the first one first.
func (u *updater) instances() (list []instance, err error) {
	names, err := release.ListInstances(u.path(filepath.Dir(firstLink)))
	for _, name := range names {
		list = append(list, instance(name))
	}
	if err == nil && list == nil {
		err = errors.New(textNoInstance)
	}
	return list, err
}

// versionOf returns the version that a link leads to.
func (u *updater) versionOf(link string) (release.Version, error) {
	target, err := os.Readlink(u.path(link))
	if err != nil {
		return release.Version{}, err
	}
	return release.ParseVersion(filepath.Base(target))
}

// setLink makes a link lead to a version.
func (u *updater) setLink(link, version string) error {
	link = u.path(link)
	if err := os.RemoveAll(link + partial); err != nil {
		return err
	}
	if err := os.Symlink("versions/"+version, link+partial); err != nil {
		return err
	}
	return release.Rename(link+partial, link)
}

// trial is the move of an instance to another version. Its file exists until the move is over.
type trial struct {
	instance
	from, to string
	seconds  int  // how long the migration took in the preflight
	back     bool // the instance returns to the version from
	active   bool // the unit ran before anything changed; a stopped instance stays stopped
}

func (u *updater) readTrial(i instance) (t trial, ok bool) {
	text, err := os.ReadFile(u.path(ours, i.file()))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 5 {
		return t, false
	}
	t.seconds, err = strconv.Atoi(fields[2])
	t.instance, t.from, t.to, t.back, t.active = i, fields[0], fields[1], fields[3] == "back", fields[4] == "active"
	return t, err == nil
}

func (u *updater) writeTrial(t trial) error {
	way, state := "forward", "stopped"
	if t.back {
		way = "back"
	}
	if t.active {
		state = "active"
	}
	return u.writeFile(t.file(), fmt.Sprintln(t.from, t.to, t.seconds, way, state))
}

// finish moves an instance to a version and waits until that has opened. If it does not, the
// instance returns to its old version, unless the database has gone over.
func (u *updater) finish(t trial) error {
	if t.back {
		return u.goBack(t)
	}
	if err := u.writeTrial(t); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"decided", func() error { return u.setLink(t.link(), t.to) }},
		{"linked", func() error { return u.restart(t) }},
	} {
		if err := u.done(step.name); err != nil {
			return err
		}
		if err := step.run(); err != nil {
			return err
		}
	}
	if err := u.done("restarted"); err != nil {
		return err
	}
	if !t.active || u.awaitVersion(t.instance, t.to, patience+2*time.Duration(t.seconds)*time.Second) {
		return u.endTrial(t.instance, "opened")
	}
	if _, err := u.command("systemctl", "stop", t.unit()); err != nil {
		return err
	}
	if err := u.checkNotOpened(t); err != nil {
		_, startErr := u.command("systemctl", "start", "--no-block", t.unit())
		return errors.Join(err, startErr, u.endTrial(t.instance, "stuck"))
	}
	t.back = true
	if err := u.writeTrial(t); err != nil {
		return err
	}
	return u.goBack(t)
}

// goBack returns an instance to its old version. That version brings back its database itself.
func (u *updater) goBack(t trial) error {
	if err := u.done("failed"); err != nil {
		return err
	}
	if err := u.setLink(t.link(), t.from); err != nil {
		return err
	}
	if err := u.done("linked back"); err != nil {
		return err
	}
	_, restartErr := u.command("systemctl", "restart", "--no-block", t.unit())
	if err := u.endTrial(t.instance, "returned"); err != nil {
		return err
	}
	return errors.Join(fmt.Errorf(textReturned, t.to, patience, t.from, t.unit()), restartErr)
}

func (u *updater) endTrial(i instance, step string) error {
	if err := u.done(step); err != nil {
		return err
	}
	return os.Remove(u.path(ours, i.file()))
}

// isActive reports whether the unit runs or tries to start. A stopped instance stays stopped.
func (u *updater) isActive(i instance) bool {
	state, _ := u.command("systemctl", "is-active", i.unit()) // fails in every state but active
	return strings.HasPrefix(state, "activ") || strings.HasPrefix(state, "reloading")
}

// restart restarts an instance that ran, unless it runs the new version already. It waits until the
// old version has stopped, because running turns may take their time. systemd would also wait until
// the new version is ready, or has failed. How both end is seen by asking the instance.
func (u *updater) restart(t trial) error {
	if t.active && !u.runs(t.instance, t.to) {
		_, _ = u.command("systemctl", "stop", t.unit())
		_, _ = u.command("systemctl", "start", "--no-block", t.unit())
	}
	return nil
}

// runs reports whether an instance answers and has the version. Before it opens, it does not answer.
func (u *updater) runs(i instance, version string) bool {
	out, err := u.transient(i, version, statusTimeout, "status", "--json")
	return err == nil && strings.Contains(out, `"version": "`+version+`"`)
}

func (u *updater) awaitVersion(i instance, version string, wait time.Duration) bool {
	for end := u.now().Add(wait); ; u.sleep(pollTime) {
		if u.runs(i, version) {
			return true
		}
		if u.now().After(end) {
			return false
		}
	}
}

// transient runs a verb of a version as the instance's account, without a network.
func (u *updater) transient(i instance, version string, limit time.Duration, verb ...string) (string, error) {
	out, err := u.command("systemctl", "show", "-P", "User", i.unit())
	if err != nil {
		return out, err
	}
	account := strings.TrimSpace(out)
	if account == "" || account == "root" || account == "0" {
		return "", fmt.Errorf(textNoAccount, i.unit(), account)
	}
	return u.command(append([]string{"systemd-run", "--quiet", "--pipe", "--wait", "--collect",
		"-p", "User=" + account, "-p", "PrivateNetwork=yes", "-p", "NoNewPrivileges=yes",
		"-p", "ProtectSystem=strict", "-p", "PrivateTmp=yes", "-p", "ReadWritePaths=" + u.path(i.state()),
		"-p", fmt.Sprintf("RuntimeMaxSec=%d", int(limit.Seconds())),
		u.path(versions, version, "mews")}, append(verb, "--config", u.path(i.config()))...)...)
}

// checkNotOpened asks the stopped instance's database whether the new version has opened. It returns
// nil only if the database says that it has not: an instance returns for no other reason.
func (u *updater) checkNotOpened(t trial) error {
	out, err := u.transient(t.instance, t.to, commandTimeout, "preflight", "--opened")
	var exit interface{ ExitCode() int }
	switch {
	case err == nil:
		return fmt.Errorf(textStuck, t.to, t.unit())
	case errors.As(err, &exit) && exit.ExitCode() == release.ExitNotOpened:
		return nil
	}
	return fmt.Errorf(textUnknown, t.to, err, strings.TrimSpace(out), t.unit())
}

// preflight tries a version on a copy of an instance's data. It returns how long a migration takes.
func (u *updater) preflight(t trial) (seconds int, err error) {
	out, err := u.transient(t.instance, t.to, commandTimeout, "preflight")
	if err != nil {
		return 0, fmt.Errorf(textPreflight, t.to, t.from, err, strings.TrimSpace(out))
	}
	fields := strings.Fields(out)
	if len(fields) == 0 {
		return 0, nil
	}
	seconds, err = strconv.Atoi(fields[len(fields)-1]) // the last word is the number of seconds
	if err != nil {
		seconds = 0
	}
	return seconds, u.done("tested")
}
