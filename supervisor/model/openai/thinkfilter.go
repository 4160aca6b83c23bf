package openai

import "strings"

// thinkTags maps the tags that open thinking to the tags that close it.
var thinkTags = map[string]string{"<think>": "</think>", "<thinking>": "</thinking>"}

// thinkFilter removes tagged thinking from the beginning of a text that comes in pieces. It passes
// all other text to emit. Some templates open the thinking in the request, so that the text has
// only the closing tag. Then the filter calls retract, because what it has passed was thinking.
type thinkFilter struct {
	emit    func(string)
	retract func()
	state   func(*thinkFilter, string) // the current state; nil at the beginning
	held    string
	closer  string          // the tag that closes the thinking; "" before the opening tag
	passed  strings.Builder // the text that has been passed on, while a closing tag may follow
}

func (t *thinkFilter) write(text string) {
	if t.state == nil {
		t.state = (*thinkFilter).begin
	}
	t.state(t, text)
}

func (t *thinkFilter) begin(text string) {
	t.held += text
	start, may := strings.TrimLeft(t.held, " \t\r\n"), false
	for opener, closer := range thinkTags {
		if after, opens := strings.CutPrefix(start, opener); opens {
			t.state, t.held, t.closer = (*thinkFilter).inside, "", closer
			t.inside(after)
			return
		}
		may = may || strings.HasPrefix(opener, start)
	}
	if !may {
		t.state = (*thinkFilter).watch
		t.watch("")
	}
}

func (t *thinkFilter) inside(text string) {
	t.held += text
	_, after, ended := strings.Cut(t.held, t.closer)
	if ended {
		t.state, t.held = (*thinkFilter).skipSpace, ""
		t.skipSpace(after)
		return
	}
	keep := min(len(t.held), len(t.closer)-1) // the held bytes may begin the closing tag
	t.held = t.held[len(t.held)-keep:]
}

// skipSpace skips white space before the text.
func (t *thinkFilter) skipSpace(text string) {
	if text = strings.TrimLeft(text, " \t\r\n"); text != "" {
		t.state = (*thinkFilter).pass
		t.emit(text)
	}
}

func (t *thinkFilter) pass(text string) { t.emit(text) }

// watch passes text on until a closing tag ends a line. It holds back text that may be such a tag.
func (t *thinkFilter) watch(text string) {
	t.held += text
	for t.held != "" {
		at := strings.IndexByte(t.held, '<')
		if at < 0 {
			at = len(t.held)
		}
		t.flush(at)
		after, closes, may := cutCloser(t.held)
		switch {
		case may:
			return
		case closes && t.isThinking():
			t.endThinking(after)
			return
		}
		t.flush(min(1, len(t.held)))
	}
}

// cutCloser returns the text after a closing tag that ends a line. may means that more text can
// still complete such a tag.
func cutCloser(text string) (after string, closes, may bool) {
	for _, closer := range thinkTags {
		rest, found := strings.CutPrefix(text, closer)
		rest = strings.TrimLeft(rest, " \t\r")
		closes = closes || found && strings.HasPrefix(rest, "\n")
		may = may || text != "" && (strings.HasPrefix(closer, text) || found && rest == "")
		if found {
			after = rest
		}
	}
	return after, closes, may
}

// isThinking reports whether a closing tag turns the text before it into thinking. A tag in code
// does not. A tag whose opening tag is also in the text does not either: the text is then only
// about tags.
func (t *thinkFilter) isThinking() bool {
	text := t.passed.String()
	return !strings.Contains(text, "<think") && strings.Count(text, fence)%2 == 0 && !strings.HasSuffix(text, "`")
}

func (t *thinkFilter) endThinking(after string) {
	t.state, t.held = (*thinkFilter).skipSpace, ""
	t.passed.Reset()
	t.retract()
	t.skipSpace(after)
}

// close ends the text. It passes on the held text, because that was no thinking. A closing tag at
// the end means that the model has only thought.
func (t *thinkFilter) close() {
	_, closes, _ := cutCloser(t.held + "\n")
	switch {
	case t.closer != "":
	case closes && t.isThinking() && strings.TrimSpace(t.passed.String()) != "":
		t.endThinking("")
	default:
		t.flush(len(t.held))
	}
}

// flush passes on the first n held bytes.
func (t *thinkFilter) flush(n int) {
	piece := t.held[:n]
	if t.held = t.held[n:]; piece != "" {
		t.passed.WriteString(piece)
		t.emit(piece)
	}
}
