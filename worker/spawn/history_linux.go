package spawn

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// historySuffix ends the name of each folder of a file history. So no request can pass off another
// folder, such as a home, as a history.
const historySuffix = ".history"

// openHistory opens the folder of a worker's file history, and puts it into the plan, whose account
// is set. A missing folder is made for that account. It returns the descriptor for Launch.History,
// which the caller closes; -1 means none. A folder that can't be used does not stop the worker:
// fault says why it has no history. A shortage is an error, because the start is tried again soon.
func (s *spawner) openHistory(m spawnwire.SpawnRequest, p *sandbox.Plan) (fd int, fault string, err error) {
	if m.HistoryRoot == "" && m.HistoryPath == "" {
		return -1, "", nil
	}
	path := filepath.Join(m.HistoryRoot, m.HistoryPath)
	if err := checkHistory(m); err != nil {
		return -1, "", fmt.Errorf("history %s: %w", path, err)
	}
	fd, err = s.openHistoryFolder(m, Account{uint32(p.UID), uint32(p.GID)}, p)
	if err == nil {
		fd, err = p.PassHistory(fd, s.privilege)
	}
	switch err = wrap(err, "history %s", path); {
	case spawnwire.IsShortage(err) && !errors.Is(err, unix.ENOSPC): // a full disk may stay full
		return -1, "", err
	case err != nil:
		p.History = sandbox.BindMount{}
		return -1, err.Error(), nil
	}
	return fd, "", nil
}

// checkHistory refuses names that no honest supervisor sends.
func checkHistory(m spawnwire.SpawnRequest) error {
	name := m.HistoryPath
	if filepath.Base(name) != name || !strings.HasSuffix(name, historySuffix) || name == historySuffix {
		return fmt.Errorf("want a name without slashes that ends in %s", historySuffix)
	}
	return checkAbsolute(m.HistoryRoot)
}

// openHistoryFolder opens or makes the folder for account a, and sets p.History. A folder of
// another account is an error.
func (s *spawner) openHistoryFolder(m spawnwire.SpawnRequest, a Account, p *sandbox.Plan) (fd int, err error) {
	if err := s.makeMissing(m.HistoryRoot, m.HistoryPath, a); err != nil {
		return -1, err
	}
	if p.History, fd, err = sandbox.OpenHistory(m.HistoryRoot, m.HistoryPath); err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Uid != a.UID {
		err = fmt.Errorf("it belongs to uid %d and not to the worker's uid %d", st.Uid, a.UID)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}
