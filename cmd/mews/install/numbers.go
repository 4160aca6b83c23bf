package install

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mews/supervisor/placement"
)

// uidsEach is how many uids an instance has for people without an account.
const uidsEach = 10000

// firstUID is the first uid of the first instance.
const firstUID = 70000

// Bounds of the first uid of a range. Below highestInContainer+uidsEach are ids that a container has
// and systemd uses for nothing (systemd.io, Users, Groups, UIDs and GIDs).
const (
	lastTried          = 10_000_000
	highestInContainer = 50_000
)

// firstPort is where the first instance answers programs on its machine. The next port is the one
// that the manual proposes for webhooks.
const firstPort = 8321

// reserve chooses what no other instance may have: the uids, and the port.
func (in *Installer) reserve() error {
	if in.record.FirstUID != 0 && in.record.Port != 0 {
		return nil
	}
	others, err := in.others()
	if err != nil {
		return err
	}
	if in.record.Port == 0 {
		in.record.Port = freePort(others)
	}
	if in.record.FirstUID == 0 {
		in.record.FirstUID, err = in.freeUIDs(others)
	}
	return err
}

// others returns the records of the other instances. A removed one has a record while its data
// stay. Without a record the instance was installed by hand.
func (in *Installer) others() (map[Layout]record, error) {
	folders, err := filepath.Glob(in.machine.path("/etc/mews*"))
	if err != nil {
		return nil, err
	}
	all := map[Layout]record{}
	for _, folder := range folders {
		base := filepath.Base(folder)
		l, err := NewLayout(strings.TrimPrefix(strings.TrimPrefix(base, "mews"), "-"))
		if err != nil || path.Base(l.etc()) != base || l == in.layout {
			continue // no other instance has such a folder
		}
		r, _, err := readRecord(in.machine, l)
		if err != nil {
			return nil, err
		}
		if r.FirstUID == 0 && in.machine.exists(l.policy()) {
			r.FirstUID, r.Port = firstUID, firstPort // those of the files of deploy
		}
		all[l] = r
	}
	return all, nil
}

func freePort(others map[Layout]record) int {
	taken := map[int]bool{firstPort + 1: true}
	for _, r := range others {
		taken[r.Port] = true
	}
	port := firstPort
	for taken[port] {
		port++
	}
	return port
}

// freeUIDs returns the first uid of a range that neither another instance nor an account, a group or
// a container has. Most containers have only the ids below 65536, so lower ranges are tried last.
func (in *Installer) freeUIDs(others map[Layout]record) (uint32, error) {
	taken, err := in.takenIDs()
	if err != nil {
		return 0, err
	}
	for _, r := range others {
		taken = append(taken, [2]uint64{uint64(r.FirstUID), uidsEach})
	}
	maps, err := in.idMaps()
	if err != nil {
		return 0, err
	}
	isFree := func(first uint64) bool {
		ids := placement.UIDRange{From: uint32(first), To: uint32(first + uidsEach - 1)}
		return !slices.ContainsFunc(maps, func(text string) bool { return !ids.IsMapped(text) }) &&
			!slices.ContainsFunc(taken, func(t [2]uint64) bool { return t[0] < first+uidsEach && first < t[0]+t[1] })
	}
	for first := uint64(firstUID); first+uidsEach <= lastTried; first += uidsEach {
		if isFree(first) {
			return uint32(first), nil
		}
	}
	for first := uint64(highestInContainer); first >= uidsEach; first -= uidsEach {
		if isFree(first) {
			return uint32(first), nil
		}
	}
	return 0, errors.New(textNoUIDs)
}

// idMaps returns the texts of the maps of user and group ids. The image of a machine has none.
func (in *Installer) idMaps() (texts []string, err error) {
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		text, err := in.machine.read(file)
		if err != nil {
			return nil, err
		}
		if text != nil {
			texts = append(texts, string(text))
		}
	}
	return texts, nil
}

// takenIDs lists the ids of the machine, as a first id and a number of ids.
func (in *Installer) takenIDs() (taken [][2]uint64, err error) {
	for _, file := range []struct {
		path          string
		first, number int // columns; the number 0 means one id
	}{{"/etc/passwd", 2, 0}, {"/etc/passwd", 3, 0}, {"/etc/group", 2, 0},
		{"/etc/subuid", 1, 2}, {"/etc/subgid", 1, 2}} {
		text, err := in.machine.read(file.path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), ":")
			if len(fields) <= max(file.first, file.number) {
				continue
			}
			first, err := strconv.ParseUint(fields[file.first], 10, 32)
			number := uint64(1)
			if err == nil && file.number != 0 {
				number, err = strconv.ParseUint(fields[file.number], 10, 32)
			}
			if err == nil { // other texts are no ids
				taken = append(taken, [2]uint64{first, number})
			}
		}
	}
	return taken, nil
}
