package filehistory

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mews/protocol"
)

// ForgetTraces does the work of Forget for some paths. It also deletes bytes that tools kept for
// unknown paths, if they have one of the phrases. It deletes the words of authors that have a
// phrase or belong to one of the turns. A call that is repeated after a crash completes the work.
func (h *History) ForgetTraces(ctx context.Context, paths, phrases []string, turns []int64) (
	versions int64, err error) {
	err = h.doFor(ctx, func(s *store) (err error) {
		wanted := pathSet(paths)
		if err := s.folder.remove(indexName); err != nil { // the index file has the names too
			return err
		}
		defer func() {
			if err != nil { // the index in memory lacks paths that packs may still have
				err = errors.Join(err, s.packs.sync())
				s.packs.close()
				h.store = nil
			}
		}()
		s.index.changed = true
		for path := range s.index.present {
			if isWithin(path, wanted) {
				delete(s.index.present, path)
			}
		}
		s.forgetWords(paths, phrases, turns)
		f, err := s.forgetting(wanted, phrases)
		if err != nil {
			return err
		}
		s.removeHolds(f)
		for _, p := range append([]*pack(nil), s.packs.list...) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			dropped, err := s.rewritePack(p.number, f)
			if err != nil {
				return err
			}
			versions += dropped
		}
		return errors.Join(h.keepAgain(ctx, s, paths), s.save())
	})
	return versions, err
}

// keepAgain keeps the present files at some forgotten paths. Their earlier states count as unknown,
// so that a restore of an earlier point leaves the files alone. With Options.ForgetOnly, it records
// the files without their bytes.
func (h *History) keepAgain(ctx context.Context, s *store, paths []string) error {
	if s.index.last() == 0 {
		return nil // the history begins when it is used again
	}
	changes, err := h.changesOf(ctx, s, paths)
	wanted := pathSet(paths)
	changes = slices.DeleteFunc(changes, func(c change) bool { return !isWithin(c.path, wanted) })
	if err != nil || len(changes) == 0 {
		return err
	}
	for i := range changes {
		changes[i].before.kind = unknown
	}
	if !h.options.ForgetOnly {
		list := s.candidatesOf(changes)
		if _, err := s.keepAll(h.home, list, true, h.untilDeadline(ctx)); err != nil {
			return err
		}
	}
	_, err = s.appendPoint(point{by: protocol.HistoryAuthor{Kind: protocol.HistoryAuthorOther}}, changes)
	h.wakeRun()
	return errors.Join(err, s.packs.sync())
}

// forgetWords removes the words of programs that a request to forget concerns. Such words name one
// of the paths, have one of the phrases, or belong to one of the turns. The words of other authors
// name no file.
func (s *store) forgetWords(paths, phrases []string, turns []int64) {
	sought := make([]string, 0, len(paths)+len(phrases))
	for _, name := range paths {
		sought = append(sought, strings.ToLower(path.Base(name)))
	}
	for _, phrase := range phrases {
		sought = append(sought, strings.ToLower(phrase))
	}
	for i := range s.index.points {
		by := &s.index.points[i].by
		words := strings.ToLower(by.Words)
		has := func(part string) bool { return part != "." && hasWhole(words, part) }
		if by.Kind == protocol.HistoryAuthorProgram &&
			(by.Turn > 0 && slices.Contains(turns, by.Turn) || slices.ContainsFunc(sought, has)) {
			by.Words = ""
		}
	}
}

// hasWhole reports whether a text has a part as whole words. No letter or digit continues the part
// on either side.
func hasWhole(text, part string) bool {
	continues := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; part != ""; at++ {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(part):])
		if !continues(before) && !continues(after) {
			return true
		}
	}
	return false
}

// EachVersion calls visit for the kept bytes of each version of a file. It stops at the first error
// of visit. Unreadable bytes are reported and left out.
func (h *History) EachVersion(ctx context.Context, path string, visit func(text []byte) error) error {
	return h.doFor(ctx, func(s *store) error {
		seen := map[digest]bool{{}: true}
		var list []digest
		add := func(of string, digests ...digest) {
			for _, d := range digests {
				if of == path && !seen[d] && s.hasBytes(d) {
					seen[d] = true
					list = append(list, d)
				}
			}
		}
		err := errors.Join(
			s.eachChange(1, s.index.last(), func(_ *point, c *change) { add(c.path, c.before.digest, c.after.digest) }),
			s.eachPresent(func(p *present) { add(p.path, p.digest) }))
		if err != nil {
			return err
		}
		for i := range s.index.holds {
			if h := &s.index.holds[i]; h.path == "" {
				add(path, h.digest) // the bytes may be of this path
			} else {
				add(h.path, h.digest)
			}
		}
		for _, d := range list {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			chunks, _, err := s.chunksOf(d)
			var text []byte
			if err == nil {
				text, err = io.ReadAll(newBlobReader(d, chunks, s.readChunk))
			}
			if err != nil {
				s.report(err)
				continue
			}
			if err := visit(text); err != nil {
				return err
			}
		}
		return nil
	})
}

// PathsBelow lists all paths below a folder that have a version.
func (h *History) PathsBelow(folder string) (paths []string, err error) {
	err = h.do(func(s *store) error {
		seen := map[string]bool{}
		add := func(path string) {
			if isBelow(path, folder) && !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
		if err := s.eachChange(1, s.index.last(), func(_ *point, c *change) { add(c.path) }); err != nil {
			return err
		}
		for path := range s.index.present {
			add(path)
		}
		slices.Sort(paths)
		return nil
	})
	return paths, err
}
