package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mews/supervisor/release"
)

const (
	versions = "opt/mews/versions" // a folder for each installed version
	ours     = "opt/mews/update"   // the updater's own files
	partial  = release.PartialSuffix
	kept     = 3           // versions that stay
	patience = time.Minute // for a new version to open; a measured migration adds to it
	pollTime = 500 * time.Millisecond

	statusTimeout = 5 * time.Second
)

// updater installs releases below root. Tests have a root folder of their own.
type updater struct {
	root     string
	keys     release.Keys
	platform string
	now      func() time.Time
	sleep    func(time.Duration)
	command  func(args ...string) (output string, err error)
	log      io.Writer
	done     func(step string) error // called after each step; tests end the run here
}

func (u *updater) path(parts ...string) string {
	return filepath.Join(u.root, filepath.Join(parts...))
}

// run finishes interrupted updates, handles one request of each instance, and deletes old versions.
func (u *updater) run() error {
	for _, dir := range []string{versions, ours} {
		if err := os.MkdirAll(u.path(dir), 0o755); err != nil {
			return err
		}
	}
	lock, err := os.OpenFile(u.path(ours, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	instances, err := u.instances()
	if err != nil {
		return err
	}
	for _, i := range instances {
		if t, ok := u.readTrial(i); ok {
			if err := u.recordFailed(t.to, u.finish(t)); err != nil {
				return u.refuse(t.to, err, instances)
			}
		}
	}
	for _, i := range instances {
		if err := u.handle(i, instances); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return u.prune(instances)
}

// handle handles the request of an instance: it installs the version, tests it for all instances,
// and then moves one after another. It stops at the first failure.
func (u *updater) handle(asking instance, all []instance) error {
	r, err := release.OpenRequest(u.path(asking.state()))
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		fmt.Fprintf(u.log, textBadFolder, asking.unit(), err)
		return release.RemoveRequest(u.path(asking.state()))
	}
	defer r.Close()
	version, err := u.install(all, r)
	if err == nil {
		err = u.recordFailed(version.String(), u.move(version, all))
	}
	if errors.Is(err, errInterrupted) {
		return err
	}
	err = errors.Join(r.Remove(), u.report(version.String(), err)) // removed first: nothing is tried twice
	if interrupted := u.done("reported"); interrupted != nil {
		return interrupted
	}
	return err
}

// refuse ends an interrupted update that failed. It removes all requests, because one of them asks for
// the same again.
func (u *updater) refuse(version string, err error, all []instance) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	for _, i := range all {
		err = errors.Join(err, release.RemoveRequest(u.path(i.state())))
	}
	return u.report(version, err)
}

// install verifies a request, and unpacks a verified copy of its archive. The version must not be
// older than the oldest of the instances.
func (u *updater) install(all []instance, r release.Request) (v release.Version, err error) {
	installed, err := u.versionOf(all[0].link())
	for _, i := range all[1:] {
		one, next := u.versionOf(i.link())
		if err = errors.Join(err, next); one.Compare(installed) < 0 {
			installed = one
		}
	}
	if err != nil {
		return v, err
	}
	seen, err := u.seenNumber()
	if err != nil {
		return v, err
	}
	accepted, _ := os.ReadFile(u.path(ours, release.AcceptOldName)) // only `mews update --accept-old` of root writes it
	found, number, err := r.Verify(release.Trust{Keys: u.keys, Seen: seen, Platform: u.platform, Now: u.now(),
		AcceptOld: string(accepted)}, installed)
	v = found.Version
	if err != nil {
		return v, err
	}
	if err := u.writeFile("number", strconv.Itoa(number)); err != nil {
		return v, err
	}
	target, archive := u.path(versions, v.String()), u.path(ours, "archive")
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return v, err // nil if an earlier run has unpacked it
	}
	if err := r.CopyArchive(found, archive); err != nil {
		return v, err
	}
	if err := u.done("copied"); err != nil {
		return v, err
	}
	return v, errors.Join(release.InstallArchive(found, archive, target), os.Remove(archive))
}

// move tests the version for each instance that is older, and then moves these instances. In the end
// the version installs the next updates.
func (u *updater) move(to release.Version, all []instance) error {
	if err := u.done("installed"); err != nil {
		return err
	}
	var trials []trial
	for _, i := range all {
		from, err := u.versionOf(i.link())
		if err != nil {
			return err
		}
		if from.Compare(to) >= 0 {
			continue
		}
		t := trial{instance: i, from: from.String(), to: to.String(), active: u.isActive(i)}
		if t.seconds, err = u.preflight(t); err != nil {
			return err
		}
		trials = append(trials, t)
	}
	for _, t := range trials {
		if err := u.finish(t); err != nil {
			return err
		}
	}
	if has, err := u.versionOf(release.UpdaterLink); err == nil && has.Compare(to) >= 0 {
		return nil
	}
	return u.setLink(release.UpdaterLink, to.String())
}

// errInterrupted ends a run as a kill would. Only tests use it.
var errInterrupted = errors.New("interrupted")

// recordFailed keeps the name of a version that failed here: no service asks for it daily any more.
func (u *updater) recordFailed(version string, err error) error {
	if err == nil || errors.Is(err, errInterrupted) {
		return err
	}
	return errors.Join(err, u.writeFile(release.FailedName, version))
}

// report writes the result for the service and for the log, and returns err.
func (u *updater) report(version string, err error) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	text := fmt.Sprintf(textInstalled, version)
	if err != nil {
		text = fmt.Sprintf(textRefused, version, err)
	}
	fmt.Fprint(u.log, text)
	return errors.Join(err, u.writeFile("result", text))
}

func (u *updater) writeFile(name, text string) error {
	return release.Replace(u.path(ours, name), text)
}

// seenNumber returns the highest number of an accepted index, or 0.
func (u *updater) seenNumber() (int, error) {
	text, err := os.ReadFile(u.path(ours, "number"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// prune deletes all versions but the newest three and those that a link leads to.
func (u *updater) prune(instances []instance) error {
	entries, err := os.ReadDir(u.path(versions))
	if err != nil {
		return err
	}
	var found []release.Version
	for _, e := range entries {
		if v, err := release.ParseVersion(e.Name()); err == nil {
			found = append(found, v)
		}
	}
	links := []string{release.UpdaterLink}
	for _, i := range instances {
		links = append(links, i.link())
	}
	slices.SortFunc(found, func(a, b release.Version) int { return b.Compare(a) })
	for n, v := range found {
		used := slices.ContainsFunc(links, func(link string) bool {
			current, err := u.versionOf(link)
			return err != nil && !errors.Is(err, fs.ErrNotExist) || current == v
		})
		if n < kept || used {
			continue
		}
		path := u.path(versions, v.String())
		if err := errors.Join(release.Rename(path, path+partial), os.RemoveAll(path+partial)); err != nil {
			return err
		}
	}
	return nil
}
