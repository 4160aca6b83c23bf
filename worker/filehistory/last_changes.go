package filehistory

import (
	"io/fs"
	"slices"

	"mews/protocol"
)

// maxChangesOfPoint is the most changes of one point in a list of the last changes.
const maxChangesOfPoint = 4

// LastChanges lists the last changes of the home with their paths, the newest first. It names a few
// changes of each point. Only points below before count; 0 means all. more means that there are
// older changes.
func (h *History) LastChanges(before int64) (list []protocol.FileVersion, more bool, err error) {
	err = h.do(func(s *store) error {
		last := s.index.last()
		if before > 0 {
			last = min(last, before-1)
		}
		ofPoint := map[int64]int{}
		if err := s.eachChange(1, last, func(p *point, c *change) {
			if len(c.path) > protocol.MaxReceivedPathBytes || !fs.ValidPath(c.path) ||
				ofPoint[p.number] == maxChangesOfPoint {
				return
			}
			ofPoint[p.number]++
			v := s.fileVersion(p, &c.after)
			v.Path = c.path
			if c.after.wantsBytes() { // the bytes may have been kept after the point
				v.NotKept = ""
			}
			list = append(list, v)
		}); err != nil {
			return err
		}
		slices.SortStableFunc(list, func(a, b protocol.FileVersion) int { return int(b.Point - a.Point) })
		more = len(list) > protocol.MaxFileVersions
		list = slices.Clone(list[:min(len(list), protocol.MaxFileVersions)])
		return nil
	})
	return list, more, err
}
