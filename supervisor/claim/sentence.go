package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is the kind of a token.
type form byte

const (
	word  form = iota
	name       // a file's name or an address
	code       // a code span that is neither a file's name nor an address
	quote      // a quotation: speech of others, or a title
	pause      // a comma, a dash, a bracket
)

// token is a word, or a piece of text that counts as one.
type token struct {
	form   form
	word   string  // the word in lower case, if form is word
	senses []sense // meanings of the word in all languages
}

// sentence is a list of tokens up to a full stop, a semicolon, a colon or the end of the line. A
// sentence with more than maxTokens tokens is split.
type sentence struct {
	text     string
	tokens   []token
	classes  [len(languages)]class // classes of all the sentence's tokens together, for each language
	question bool
}

const maxTokens = 200

// has reports whether any token of the sentence is of a class, in one language.
func (s sentence) has(language int, c class) bool { return s.classes[language]&c != 0 }

// readSentences yields the writer's own sentences in a Markdown text. It skips quotations, code,
// and text that a line introduces as a draft.
func readSentences(text string, yield func(sentence)) {
	fence, draft := "", isLetter(text)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		mark := line[:min(3, len(line))]
		switch {
		case fence != "":
			if mark == fence {
				fence = ""
			}
		case mark == "```" || mark == "~~~":
			fence = mark
		case mark == "---" || mark == "***" || mark == "___":
			draft = false
		case !draft && !isForeign(line):
			s := scanner{rest: strings.TrimPrefix(strings.TrimLeft(line, listMarks), "[x]"), yield: yield}
			draft = s.run()
		}
	}
}

// listMarks are the characters at the beginning of a list item, numbered or not.
const listMarks = "0123456789.)-+ \t✅✔☑✓•"

// isForeign reports whether a line is not the writer's own sentence. Such lines are quotations,
// headings, tables, speech in a story, and lines all in italics.
func isForeign(line string) bool {
	if line == "" || strings.ContainsRune(">#|", rune(line[0])) || strings.HasPrefix(line, "—") {
		return true
	}
	last := len(line) - 1
	return last > 1 && (line[0] == '*' || line[0] == '_') && line[last] == line[0] && line[1] != line[0] && line[1] != ' '
}

// isLetter reports whether a text is a letter, by its first line.
func isLetter(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	first = strings.ToLower(strings.Trim(first, "*_ "))
	for _, l := range languages {
		for _, begin := range l.letters {
			if strings.HasPrefix(first, begin) {
				return true
			}
		}
	}
	return false
}

// scanner cuts one line into sentences.
type scanner struct {
	rest  string
	text  string // text is the sentence so far; rest is the remaining part of the line
	now   sentence
	draft bool // the sentence names a text written for somebody
	yield func(sentence)
}

// closers maps the mark that opens a quotation, a label or code to the marks that may close it.
var closers = map[rune]string{'"': `"`, '“': "”“", '„': "“”", '«': "»", '»': "«", '‹': "›", '`': "`", '[': "]"}

// run yields the sentences of the line, up to a draft. It reports whether a draft follows the line.
func (s *scanner) run() (draft bool) {
	for s.text = s.rest; s.rest != ""; {
		r, size := utf8.DecodeRuneInString(s.rest)
		switch closing := closers[r]; {
		case closing != "":
			s.quotation(size, closing)
		case unicode.IsSpace(r), r == '*', r == '¿', r == '¡':
			s.rest = s.rest[size:]
		case r == '.' && s.isShortened():
			s.rest = s.rest[size:]
		case strings.ContainsRune(".!?…;:", r):
			s.rest = s.rest[size:]
			s.now.question = s.now.question || r == '?'
			isDraft := s.draft && r == ':'
			if s.end(); isDraft {
				return strings.Trim(s.rest, "*_ ") == ""
			}
		case strings.ContainsRune(",()]–—", r):
			s.rest = s.rest[size:]
			s.put(token{form: pause})
		default:
			s.word()
		}
	}
	s.end()
	return false
}

// quotation reads a quotation up to a mark that may close it, or to the end of the line.
func (s *scanner) quotation(size int, closing string) {
	inner := s.rest[size:]
	end := strings.IndexAny(inner, closing)
	if end < 0 {
		end = len(inner)
	}
	t := token{form: quote}
	if closing == "`" {
		if t.form = code; isName(inner[:end], true) {
			t.form = name
		}
	}
	s.rest = inner[end:]
	if _, size := utf8.DecodeRuneInString(s.rest); s.rest != "" {
		s.rest = s.rest[size:]
	}
	if end > 0 {
		s.put(t)
	}
}

// word reads a word, up to white space or a mark that ends a word.
func (s *scanner) word() {
	end := strings.IndexFunc(s.rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;!?…()[]–—*\"“”„«»‹`", r)
	})
	if end < 0 {
		end = len(s.rest)
	}
	whole := strings.TrimRight(s.rest[:end], ".:")
	if whole == "" {
		_, size := utf8.DecodeRuneInString(s.rest) // the mark closes no quotation, and is skipped
		s.rest = s.rest[size:]
		return
	}
	s.rest = s.rest[len(whole):]
	if isName(whole, false) {
		s.put(token{form: name})
		return
	}
	for part := range strings.FieldsFuncSeq(whole, func(r rune) bool { return r == '\'' || r == '’' }) {
		if part = strings.TrimFunc(part, isNoLetter); part != "" {
			s.put(token{word: strings.ToLower(part)})
		}
	}
}

func isNoLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// isName reports whether a word is a file's name or an address. In code, a word with a slash is a
// name. In text it is not, since "and/or" has a slash.
func isName(s string, inCode bool) bool {
	if strings.ContainsAny(s, " \t") || strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return false
	}
	if strings.Contains(s, "/") && (inCode || strings.ContainsAny(s, ".~") || s[0] == '/' || s[len(s)-1] == '/') {
		return true
	}
	dot := strings.LastIndexByte(s, '.')
	extension := s[dot+1:]
	return dot > 0 && len(s) > 3 && len(extension) <= 5 && extension != "" && strings.IndexFunc(extension, isNoLetter) < 0
}

// isShortened reports whether the next full stop ends no sentence, since it belongs to a day or an
// abbreviation.
func (s *scanner) isShortened() bool {
	n := len(s.now.tokens)
	if n == 0 || s.now.tokens[n-1].form != word {
		return false
	}
	last := s.now.tokens[n-1]
	if strings.Trim(last.word, "0123456789") != "" {
		return last.isInAnyLanguage(shortened)
	}
	next, _, _ := strings.Cut(strings.TrimLeft(s.rest[:min(len(s.rest), maxNoun)], ". "), " ")

	return token{senses: lexicon()[strings.ToLower(strings.TrimRight(next, ",.;:"))]}.isInAnyLanguage(month)
}

func (s *scanner) put(t token) {
	if t.form == word {
		t.senses = lexicon()[t.word]
		if n := len(s.now.tokens); n > 0 && s.now.tokens[n-1].isInAnyLanguage(leading) {
			if pair := lexicon()[s.now.tokens[n-1].word+" "+t.word]; pair != nil {
				t.senses, s.now.tokens = pair, s.now.tokens[:n-1]
			}
		}
		s.draft = s.draft || t.isInAnyLanguage(draft)
	}
	if s.now.tokens = append(s.now.tokens, t); len(s.now.tokens) == maxTokens {
		s.end()
	}
}

func (s *scanner) end() {
	if len(s.now.tokens) > 0 {
		s.now.text = strings.TrimSpace(s.text[:len(s.text)-len(s.rest)])
		for _, t := range s.now.tokens {
			for _, means := range t.senses {
				s.now.classes[means.language] |= means.class
			}
		}

		s.yield(s.now)
	}
	s.text, s.now, s.draft = s.rest, sentence{tokens: s.now.tokens[:0]}, false
}
