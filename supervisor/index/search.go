package index

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// SearchScope is the part of the index that a search covers.
type SearchScope string

const (
	ScopeBoth       SearchScope = ""
	ScopeTranscript SearchScope = "transcript" // the messages of conversations
	ScopeHome       SearchScope = "home"       // the files of the user's home
)

// Query is a search. User is required; each other field narrows the search.
type Query struct {
	User         string
	Text         string // words to search for, without operators
	Scope        SearchScope
	From, To     time.Time // time of the message, or of the file's last change; To is exclusive
	Who          string    // the speaker, supervisor.SpeakerUser or SpeakerAssistant; only for messages
	Conversation int64     // id of the only conversation to search; only for messages
	// Under is a folder or a file of the home, without a final slash. It is only for files.
	Under string
	Limit int // largest number of hits; 0 means 10
}

// Hit is one found section.
type Hit struct {
	Source        SearchScope
	Message       int64 // id of the message, if the hit is a message; it belongs to Conversation and has Role
	Conversation  int64
	Role          protocol.Role
	World         bool   // whether the text may have words of other people
	Path, Heading string // path and heading of a section of a file; Path is relative to the home
	Line          int    // first line of the section, from 1
	At            time.Time
	Text          string
	Score         float64 // rank of the hit; comparable only with scores of the same search

	section int64
}

// Result lists the hits, the best first.
type Result struct {
	Hits []Hit
	// Incomplete says in words why hits may be missing; "" means that everything is indexed.
	Incomplete string
}

// usualLimit is the limit of a query without Limit.
const usualLimit = 10

// Search finds sections with words of the query or other forms of them. Sections rank higher with
// rarer words, with more of them, and with words in the query's order. With an Embedder it also
// finds sections with about the same meaning.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	db, behind := x.searchable(q.User)
	result, terms := Result{Incomplete: behind}, termsOf(q.Text)
	if db == nil || len(terms) == 0 {
		return result, nil
	}
	read := db.Reader(ctx)
	home, err := homeIncomplete(read, q)
	if err != nil {
		return result, x.explain(err, "search for %s", q.User)
	}
	result.Incomplete = strings.TrimSpace(behind + " " + home)
	person, known, err := engine.FirstRow(read, engine.ScanInteger, findPerson, q.User)
	if err == nil && known {
		result.Hits, err = search(read, person, terms, q, x.o.Now())
	}
	if err == nil && known && x.o.Embedder != nil {
		near, meant, failed := x.nearest(ctx, read, q)
		result.Incomplete, err = strings.TrimSpace(result.Incomplete+" "+meant), failed
		if len(near) > 0 {
			result.Hits = fuse(result.Hits, near)
		}
	}
	result.Hits = result.Hits[:min(len(result.Hits), cmp.Or(q.Limit, usualLimit))]
	return result, x.explain(err, "search for %s", q.User)
}

func search(read engine.Reader, person int64, terms []term, q Query, now time.Time) ([]Hit, error) {
	all, err := engine.FirstValue(read, engine.ScanInteger, findSections, q.User)
	if err != nil {
		return nil, err
	}
	found, err := candidates(read, person, terms, all)
	if err != nil {
		return nil, err
	}
	hits, err := listFitting(read, q, found, maxRanked)
	if err != nil {
		return nil, err
	}
	rank(hits, terms, now)
	return hits, nil
}

const (
	// maxRead limits the sections read for a query's words, the rarest word first. The sections of
	// the rarest word are always read.
	maxRead = 8000
	// maxRanked is the largest number of sections that are scored.
	maxRanked = 300
)

const (
	findSections = `SELECT sections FROM person WHERE user = ?`
	countWord    = `SELECT count(*) FROM words_%[1]d WHERE words_%[1]d MATCH ?`
	listWord     = `SELECT rowid FROM words_%[1]d WHERE words_%[1]d MATCH ?`
)

// candidates lists the sections with the rarest words of a query, the best first. It sets the
// terms' counts and weights.
func candidates(read engine.Reader, person int64, terms []term, all int64) ([]int64, error) {
	for i := range terms {
		n, err := engine.FirstValue(read, engine.ScanInteger, fmt.Sprintf(countWord, person), terms[i].match())
		if err != nil {
			return nil, err
		}
		terms[i].found = n
		terms[i].weight = rarity(n, all)
	}
	rarest := slices.SortedFunc(slices.Values(terms), func(a, b term) int { return cmp.Compare(a.found, b.found) })
	scores, left := map[int64]float64{}, int64(maxRead)
	for _, t := range rarest {
		if t.found == 0 {
			continue
		}
		if left -= t.found; left < 0 && len(scores) > 0 {
			break
		}
		if err := read.Query(func(r *engine.Row) bool {
			scores[engine.ScanInteger(r)] += t.weight
			return true
		}, fmt.Sprintf(listWord, person), t.match()); err != nil {
			return nil, err
		}
	}
	type candidate struct {
		id    int64
		score float64
	}
	best := make([]candidate, 0, len(scores))
	for id, score := range scores {
		best = append(best, candidate{id, score})
	}
	slices.SortFunc(best, func(a, b candidate) int {
		// of two sections with the same score, the newer comes first
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
	})
	ids := make([]int64, len(best))
	for i, c := range best {
		ids[i] = c.id
	}
	return ids, nil
}

// rarity returns the weight of a word that n of all sections have. It is BM25's inverse document
// frequency, squared, as if both the query's and the section's words were weighted.
func rarity(n, all int64) float64 {
	weight := math.Log(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
	return weight * weight
}

// listSections lists sections that fit a query, of messages and of files. A section of several
// files appears in the first of them that fits.
const listSections = `SELECT s.id, s.conversation, s.message, s.role, s.world, s.heading, s.text,
		coalesce(f.modified / 1000000, s.at), coalesce(p.path, s.path), coalesce(min(p.line), 0)
	FROM json_each(?2) j CROSS JOIN section s ON s.id = j.value
	LEFT JOIN file f ON f.user = s.user AND f.path = s.path
	LEFT JOIN place p ON p.user = s.user AND p.section = s.id AND p.path = (SELECT min(o.path) FROM place o INDEXED BY place_section
		WHERE o.user = s.user AND o.section = s.id AND (?8 = '' OR o.path = ?8 OR o.path >= ?8 || '/' AND o.path < ?8 || '0'))
	WHERE s.user = ?1 AND (?3 = '' OR (s.hash = '') = (?3 = 'transcript')) AND (?4 = '' OR s.role = ?4) AND (?5 = 0 OR s.conversation = ?5)
		AND coalesce(f.modified / 1000000, s.at) >= ?6 AND (?7 = 0 OR coalesce(f.modified / 1000000, s.at) < ?7)
		AND (?8 = '' OR p.path IS NOT NULL)
	GROUP BY j.key`

// listFitting lists the first of some sections that fit a query. It reads page by page until the
// number of hits reaches least. It keeps all hits of the last page, even if there are more than
// least.
func listFitting(read engine.Reader, q Query, ids []int64, least int) (hits []Hit, err error) {
	for page := range slices.Chunk(ids, maxRanked) {
		list, err := sections(read, q, page)
		if err != nil {
			return nil, err
		}
		if hits = append(hits, list...); len(hits) >= least {
			break
		}
	}
	return hits, nil
}

func sections(read engine.Reader, q Query, ids []int64) ([]Hit, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return engine.AllRows(read, func(r *engine.Row) (h Hit) {
		r.Scan(&h.section, &h.Conversation, &h.Message, &h.Role, &h.World, &h.Heading, &h.Text, &h.At, &h.Path, &h.Line)
		h.Source = ScopeTranscript
		if h.Message == 0 {
			h.Source = ScopeHome
		}
		return h
	}, listSections, q.User, string(list), string(q.Scope), supervisor.SpeakerRoles[q.Who], q.Conversation, q.From,
		q.To, q.Under)
}

// term is a word of a query.
type term struct {
	word   string
	stem   string  // the prefix of the word's other forms; the word itself if it has no other forms
	found  int64   // number of sections with the word
	weight float64 // weight of the word, greater for rarer ones
}

// maxTerms is the largest number of different words of a query that count.
const maxTerms = 32

// termsOf returns the words of a query.
func termsOf(text string) (terms []term) {
	for _, word := range wordsOf(text) {
		if len(terms) < maxTerms && !slices.ContainsFunc(terms, func(t term) bool { return t.word == word }) {
			terms = append(terms, term{word: word, stem: stemOf(word)})
		}
	}
	return terms
}

// stemOf removes a possible ending from a word: up to 3 letters from a word of 5 or more.
func stemOf(word string) string {
	letters := []rune(word)
	n := len(letters)
	switch {
	case n >= 8:
		n -= 3
	case n >= 6:
		n -= 2
	case n >= 5:
		n--
	}
	return string(letters[:n])
}

// inflected reports whether the search includes other forms of the word. A word of up to three
// letters has no other forms.
func (t term) inflected() bool { return utf8.RuneCountInString(t.word) > 3 }

// match returns the term as an FTS5 query. A word has only letters and digits, so it contains no
// operator.
func (t term) match() string {
	if t.inflected() {
		return `"` + t.stem + `"*`
	}
	return `"` + t.word + `"`
}

// searchable returns the database if it can be searched. The result behind says in words what a
// search cannot find yet.
func (x *Index) searchable(user string) (db *engine.DB, behind string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p, reading := x.progress[user]
	switch {
	case !x.ready:
		return nil, textNotOpen
	case x.full:
		behind = textFull
	case reading:
		behind = fmt.Sprintf(textReading, 100*p.done/p.all)
	}
	return x.db, behind
}
