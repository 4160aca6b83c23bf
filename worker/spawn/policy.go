package spawn

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mews/worker/sandbox"
)

// Policy limits which workers a spawner may start. No request can exceed it. If the spawner may
// change accounts, the policy comes from a file that only root can write. The file is read once.
// Users and workspaces that are added later must be within its bounds.
type Policy struct {
	Worker  string          // absolute path of the worker's program
	Tier    sandbox.Tier    // walls of the workers; "" means the best that work here
	MinTier sandbox.Tier    // weakest walls with which workers start
	UIDs    sandbox.IDRange // range of the uids of people's accounts
	// uids of people without an account, which are also their groups; zero means none
	People sandbox.IDRange
	// account of workers whose user has no account; zero means the spawner's account, which must
	// not be root
	Account Account
	// the only folders that may contain homes, workspaces and other folders; empty means any
	Roots  []string
	Memory uint64 // most bytes of memory for a worker and its programs
	PIDs   uint32 // most processes and threads of a worker and its programs
	// Persons are the only accounts of people that are allowed, in place of UIDs. NoUIDs without
	// Persons means that nobody has an account.
	Persons []Account
	NoUIDs  bool
}

// Account is an OS account with its group.
type Account struct{ UID, GID uint32 }

// maxUID is far above the uids that systems give. For setresuid(2) the greatest number, -1, means
// no change: a worker would keep the spawner's account.
const maxUID = 1<<31 - 1

// personUIDs are the uids that systems give to people (login.defs: UID_MIN, UID_MAX).
var personUIDs = sandbox.IDRange{From: 1000, To: 60000}

// nobody is the id that stands for all ids without a mapping, and for those of other machines.
const nobody = 65534

// Default limits of a policy.
const (
	defaultMemory = 1 << 30
	defaultPIDs   = 256
)

// policyKeys are the keys of a policy file. A line is a key, white space and a value.
var policyKeys = map[string]func(p *Policy, value string) error{
	"worker":      func(p *Policy, v string) error { p.Worker = v; return checkAbsolute(v) },
	"sandbox":     func(p *Policy, v string) error { return parseTier(&p.Tier, v) },
	"sandbox_min": func(p *Policy, v string) error { return parseTier(&p.MinTier, v) },
	"uids":        parseUIDs,
	"person":      parsePerson,
	"account":     func(p *Policy, v string) error { return parsePair(v, ":", &p.Account.UID, &p.Account.GID) },
	"people":      func(p *Policy, v string) error { return parsePair(v, "-", &p.People.From, &p.People.To) },
	"root":        func(p *Policy, v string) error { p.Roots = append(p.Roots, v); return checkAbsolute(v) },
	"memory":      func(p *Policy, v string) (err error) { p.Memory, err = strconv.ParseUint(v, 10, 63); return err },
	"pids": func(p *Policy, v string) error {
		n, err := strconv.ParseUint(v, 10, 31)
		p.PIDs = uint32(n)
		return err
	},
}

// ReadPolicy reads a policy file: a line for each key, # begins a comment. It refuses a file with
// an unknown key.
func ReadPolicy(from io.Reader) (Policy, error) {
	var p Policy
	seen := map[string]bool{}
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		key, value := cutSpace(line)
		if seen[key] && key != "root" && key != "person" {
			return p, fmt.Errorf("line %d: %s is there twice", n, key)
		}
		seen[key] = true
		if err := p.SetKey(key, value); err != nil {
			return p, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return p, errors.Join(lines.Err(), p.Validate())
}

// cutSpace splits a line at its first white space.
func cutSpace(line string) (key, value string) {
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

// SetKey sets one key.
func (p *Policy) SetKey(key, value string) error {
	set := policyKeys[key]
	if set == nil {
		return fmt.Errorf("there is no key %q", key)
	}
	return wrap(set(p, value), "%s %q", key, value)
}

// Validate sets defaults in a policy, and refuses a policy that allows too much.
func (p *Policy) Validate() error {
	p.MinTier = cmp.Or(p.MinTier, sandbox.TierNamespaces)
	if !p.NoUIDs && p.Persons == nil {
		p.UIDs = cmp.Or(p.UIDs, personUIDs)
	}
	p.Memory, p.PIDs = cmp.Or(p.Memory, defaultMemory), cmp.Or(p.PIDs, defaultPIDs)
	switch {
	case p.Worker == "":
		return errors.New("worker is missing: the absolute path of mews-worker")
	case p.Persons != nil && p.UIDs != sandbox.IDRange{}:
		return errors.New("uids: with lines of single persons, want none")
	case slices.ContainsFunc(p.Persons, func(a Account) bool {
		return p.People.Contains(a.UID) || p.People.Contains(a.GID)
	}):
		return fmt.Errorf("person: an id lies within people %d-%d, where nobody else may have one",
			p.People.From, p.People.To)
	case len(p.personRanges()) > maxPersonRanges:
		return fmt.Errorf("person: the ids are in %d separate ranges, want at most %d", len(p.personRanges()),
			maxPersonRanges)
	case p.UIDs != sandbox.IDRange{} && (p.UIDs.From < personUIDs.From || p.UIDs.To < p.UIDs.From):
		return fmt.Errorf("uids %d-%d: want a range above %d, where no system account is", p.UIDs.From, p.UIDs.To, personUIDs.From-1)
	case p.UIDs.To > maxUID:
		return fmt.Errorf("uids %d-%d: want a range up to %d", p.UIDs.From, p.UIDs.To, uint32(maxUID))
	case p.People != sandbox.IDRange{} && (p.People.From < personUIDs.From || p.People.To < p.People.From || p.People.To > maxUID):
		return fmt.Errorf("people %d-%d: want a range above %d and up to %d", p.People.From, p.People.To, personUIDs.From-1, uint32(maxUID))
	case (p.Account.UID == 0) != (p.Account.GID == 0):
		return errors.New("account: a worker is never root, nor of its group")
	case max(p.Account.UID, p.Account.GID) > maxUID:
		return fmt.Errorf("account %d:%d: want numbers up to %d", p.Account.UID, p.Account.GID, uint32(maxUID))
	}
	return nil
}

func checkAbsolute(path string) error {
	if !filepath.IsAbs(path) {
		return errors.New("want an absolute path")
	}
	return nil
}

func parseTier(to *sandbox.Tier, value string) error {
	if value == "auto" {
		return nil
	}
	if *to = sandbox.Tier(value); !to.IsValid() {
		return errors.New("want auto, accounts, namespaces, landlock or off")
	}
	return nil
}

func parseUIDs(p *Policy, value string) error {
	if p.NoUIDs = value == "none"; p.NoUIDs {
		return nil
	}
	return parsePair(value, "-", &p.UIDs.From, &p.UIDs.To)
}

func parsePerson(p *Policy, value string) error {
	var a Account
	if err := parsePair(value, ":", &a.UID, &a.GID); err != nil {
		return err
	}
	if a.UID == nobody || a.GID == nobody {
		return fmt.Errorf("%d is nobody's, and no person's", nobody)
	}
	if min(a.UID, a.GID) < personUIDs.From || max(a.UID, a.GID) > maxUID {
		return fmt.Errorf("want numbers from %d to %d, where no system account is", personUIDs.From, uint32(maxUID))
	}
	p.Persons = append(p.Persons, a)
	return nil
}

// isPersons reports whether a uid is an account of a person.
func (p Policy) isPersons(uid uint32) bool {
	return p.UIDs.Contains(uid) || slices.ContainsFunc(p.Persons, func(a Account) bool { return a.UID == uid })
}

// isPersonsGroup reports whether the account of a person may have a group. Groups of the system are
// refused, because they give access to disks, containers and logs.
func (p Policy) isPersonsGroup(a Account) bool {
	return a.GID == 0 || p.UIDs.Contains(a.GID) || slices.Contains(p.Persons, a)
}

// maxPersonRanges keeps the filter of accounts small: one of its jumps passes over all ranges.
const maxPersonRanges = 100

// personRanges returns the ids of the accounts of people. Neighbouring ids are one range.
func (p Policy) personRanges() (list []sandbox.IDRange) {
	if p.UIDs.From != 0 {
		return []sandbox.IDRange{p.UIDs}
	}
	var ids []uint32
	for _, a := range p.Persons {
		ids = append(ids, a.UID, a.GID)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if n := len(list); n > 0 && list[n-1].To+1 == id {
			list[n-1].To = id
			continue
		}
		list = append(list, sandbox.IDRange{From: id, To: id})
	}
	return list
}

func parsePair(value, between string, a, b *uint32) error {
	left, right, ok := strings.Cut(value, between)
	m, err1 := strconv.ParseUint(left, 10, 32)
	n, err2 := strconv.ParseUint(right, 10, 32)
	if !ok || err1 != nil || err2 != nil {
		return fmt.Errorf("want two numbers with %q between them", between)
	}
	*a, *b = uint32(m), uint32(n)
	return nil
}

// workerAccount returns a worker's account: the requested account if the policy allows it, or the
// account for users without an account.
func (p Policy) workerAccount(asked, own Account) (Account, error) {
	switch {
	case asked.UID == 0 && p.Account.UID != 0:
		return p.Account, nil
	case asked.UID == 0 || asked == own:
		asked = own
	case asked == p.Account:
	case p.People.Contains(asked.UID) && asked.GID == asked.UID:
	case !p.isPersons(asked.UID):
		return asked, fmt.Errorf("uid %d: it is not among the accounts of the policy (uids, person)", asked.UID)
	case !p.isPersonsGroup(asked):
		return asked, fmt.Errorf("group %d: it is not among the accounts of the policy (uids, person)", asked.GID)
	}
	if asked.UID == 0 || asked.GID == 0 {
		return asked, errors.New("a worker is never root: the person needs an account, or the service one for its workers")
	}
	return asked, nil
}

// checkRoot refuses a path beneath which no folder may be opened.
func (p Policy) checkRoot(path string) error {
	if err := checkAbsolute(path); err != nil {
		return fmt.Errorf("root %q: %w", path, err)
	}
	if len(p.Roots) > 0 && !slices.Contains(p.Roots, path) {
		return fmt.Errorf("root %q: it is not among the allowed roots %q", path, p.Roots)
	}
	return nil
}
