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

// errOthersHistory means that a history belongs to another account than the worker's.
var errOthersHistory = errors.New("it belongs to another account")

// openHistory opens the folder of a worker's file history, and puts it into the plan, whose account
// is set. A missing folder is made for that account. It returns the descriptor for Launch.History,
// which the caller closes; -1 means none. A folder of another account is not used; its user is
// served without a history.
func (s *spawner) openHistory(m spawnwire.SpawnRequest, p *sandbox.Plan) (fd int, err error) {
	if m.HistoryRoot == "" && m.HistoryPath == "" {
		return -1, nil
	}
	if fd, err = s.openHistoryFolder(m, Account{uint32(p.UID), uint32(p.GID)}, p); errors.Is(err, errOthersHistory) {
		p.History = sandbox.BindMount{}
		return -1, nil
	}
	if err == nil {
		fd, err = p.PassHistory(fd, s.privilege)
	}
	return fd, wrap(err, "history %s", filepath.Join(m.HistoryRoot, m.HistoryPath))
}

// openHistoryFolder opens or makes the folder for account a, and sets p.History. It returns
// errOthersHistory for a folder of another account.
func (s *spawner) openHistoryFolder(m spawnwire.SpawnRequest, a Account, p *sandbox.Plan) (fd int, err error) {
	name := m.HistoryPath
	if filepath.Base(name) != name || !strings.HasSuffix(name, historySuffix) || name == historySuffix {
		return -1, fmt.Errorf("want a name without slashes that ends in %s", historySuffix)
	}
	if err := s.makeMissing(m.HistoryRoot, name, a); err != nil {
		return -1, err
	}
	if p.History, fd, err = sandbox.OpenHistory(m.HistoryRoot, name); err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Uid != a.UID {
		err = errOthersHistory
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}
