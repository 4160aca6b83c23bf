package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

// Summary is the text about a pull request that each review updates in place. It has all findings
// of all heads. It names no model, price or setting of the host.
type Summary struct {
	Head     string // the newest head of the pull request
	Mark     string // text of the summary's hidden mark; "" means Head
	Name     string // name of the reviewer
	Records  []Record
	Read     string   // the last head that a review has read; "" means none
	Coverage Coverage // the coverage of the head Read
	Unread   string   // sentences that tell readers why Head was not read; "" means that Head was read
	Unposted bool     // the comments on lines of Head could not be posted
	Left     map[Omission]int
}

// maxBody is the maximum size of a summary, in bytes. GitHub takes 65,536 characters in a review
// and 65,535 in a check run.
const maxBody = 65_000

// details is a part of a summary that readers can open.
type details struct {
	title string
	open  bool
	items []string
}

const (
	detailsFrame = "\n<details%s><summary>%s</summary>\n\n%s\n</details>\n"
	frameSize    = len(detailsFrame) + len(" open") + len(textMoreItems) + 20
)

// size returns the size of all items, in bytes.
func (d details) size() (n int) {
	for _, item := range d.items {
		n += len(item) + 1
	}
	return n
}

// text returns the details with as many items as fit into room bytes, and the number of omitted
// items. left is the unused part of room.
func (d details) text(room int) (text string, left int) {
	var b strings.Builder
	for i, item := range d.items {
		if room -= len(item) + 1; room < 0 {
			room += len(item) + 1
			fmt.Fprintf(&b, textMoreItems, len(d.items)-i)
			break
		}
		b.WriteString(item + "\n")
	}
	open := ""
	if d.open {
		open = " open"
	}
	return fmt.Sprintf(detailsFrame, open, d.title, b.String()), room
}

// Body returns the summary as Markdown, at most maxBody bytes.
func (s Summary) Body() string {
	head := ReviewMark(cmp.Or(s.Mark, s.Head)) + "\n"
	switch {
	case s.Unposted:
		head += fmt.Sprintf(textNotPosted, ShortSHA(s.Head)) + "\n"
	case s.isUnread():
		head += fmt.Sprintf(textNotRead, ShortSHA(s.Head), s.Unread) + "\n"
	case s.Unread != "":
		head += fmt.Sprintf(textNotReadAgain, ShortSHA(s.Head), s.Unread) + "\n"
	}
	if s.Read != "" {
		head += fmt.Sprintf(textRead, s.Coverage.ReadCount(), amount.Plural(s.Coverage.Files, textFile, textFiles),
			ShortSHA(s.Read), s.counts()) + "\n"
	} else if len(s.Records) > 0 {
		head += fmt.Sprintf(textFound, s.counts()) + "\n"
	}
	foot := "\n" + strings.Join(append(notes(textLeft, CheckedFindings{Left: s.Left}.left()),
		fmt.Sprintf(textFoot, s.Name)), "\n\n")
	files, findings := s.files(), s.findings()
	room, need := maxBody-len(head)-len(foot)-len(files.title)-frameSize, 0
	for _, f := range findings {
		room -= len(f.title) + frameSize
		need += f.size()
	}
	share := max(room/4, room-need) // file names get at least a quarter of the room
	text, left := files.text(share)
	texts := []string{text}
	if len(files.items) == 0 {
		texts = nil
	}
	room -= share - left
	for _, f := range findings {
		text, room = f.text(room)
		texts = append(texts, text)
	}
	return head + strings.Join(texts, "") + foot
}

// IsNeeded reports whether something was not read, or something was found.
func (s Summary) IsNeeded() bool {
	return s.isUnread() || !s.Coverage.IsComplete() || slices.ContainsFunc(s.Records, func(r Record) bool {
		return r.MutedBy == "" && r.State != supervisor.FindingRefuted
	})
}

// Title returns the numbers of findings as one line.
func (s Summary) Title() string {
	if s.isUnread() {
		return textTitleUnread
	}
	return s.counts()
}

// isUnread reports whether no review has read Head, not even an earlier one.
func (s Summary) isUnread() bool { return s.Unread != "" && (s.Read == "" || s.Read != s.Head) }

// files returns the details about files that were not read.
func (s Summary) files() (x details) {
	for _, u := range s.Coverage.sorted() {
		format := textUnreadFile
		if u.Part {
			format = textUnreadPart
		}
		x.items = append(x.items, fmt.Sprintf(format, pathText(u.Path), u.Reason))
	}
	if s.Coverage.Unlisted > 0 {
		x.items = append(x.items, fmt.Sprintf(textUnlisted, amount.Plural(s.Coverage.Unlisted, textFile, textFiles)))
	}
	x.title = fmt.Sprintf(textUnreadFiles, amount.Plural(len(s.Coverage.Unread)+s.Coverage.Unlisted, textFile,
		textFiles))
	return x
}

// kinds are the kinds of findings, in their order in a summary.
var kinds = []struct {
	is    func(Record) bool
	title [2]string
	item  func(Record) string
}{
	{Record.IsOpen, [2]string{"open finding", "open findings"}, Record.openItem},
	{unmuted(supervisor.FindingChanged), [2]string{"finding in lines that changed since",
		"findings in lines that changed since"},
		func(r Record) string { return r.item(fmt.Sprintf(textChanged, ShortSHA(r.Seen))) }},
	{func(r Record) bool { return r.MutedBy != "" }, [2]string{"muted finding", "muted findings"},
		func(r Record) string { return r.item(fmt.Sprintf(textMutedBy, HarmlessMarkdown(r.MutedBy, maxTitle))) }},
	{unmuted(supervisor.FindingFixed), [2]string{"fixed finding", "fixed findings"},
		func(r Record) string { return r.item(fmt.Sprintf(textFixedIn, ShortSHA(r.Fixed))) }},
	{unmuted(supervisor.FindingRefuted), [2]string{"refuted finding", "refuted findings"},
		func(r Record) string {
			return r.item(fmt.Sprintf(textRefuted, HarmlessMarkdown(r.Refutation, maxItem)))
		}},
}

// unmuted returns a function that reports whether a finding has a state, and is not muted.
func unmuted(state supervisor.FindingState) func(Record) bool {
	return func(r Record) bool { return r.State == state && r.MutedBy == "" }
}

// findings returns details for each kind of finding, without kinds that have no finding.
func (s Summary) findings() (list []details) {
	for i, kind := range kinds {
		var of []Record
		for _, r := range s.Records {
			if kind.is(r) {
				of = append(of, r)
			}
		}
		slices.SortStableFunc(of, func(a, b Record) int { return worse(a.Finding, b.Finding) })
		x := details{title: amount.Plural(len(of), kind.title[0], kind.title[1]), open: i == 0}
		for _, r := range of {
			x.items = append(x.items, kind.item(r))
		}
		if len(of) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// openItem returns the line about an open finding. The comment on its lines has the details.
func (r Record) openItem() string {
	detail := ""
	if !r.Inline {
		detail = HarmlessMarkdown(r.Detail, maxItem)
	}
	return r.item(detail)
}

// item returns the line about a finding, with the text end at the line's end.
func (r Record) item(end string) string {
	return strings.TrimSpace(fmt.Sprintf("- %s **%s** %s %s", FormatPosition(r.Finding), r.Severity,
		HarmlessMarkdown(r.Title, maxTitle), end))
}

// counts returns the numbers of findings as text.
func (s Summary) counts() string {
	var open CheckedFindings
	var parts []string
	for _, r := range s.Records {
		if r.IsOpen() {
			open.Summary = append(open.Summary, r.Finding)
		}
	}
	if parts = append(parts, open.FormatCounts()); parts[0] == textNothing && !s.Coverage.IsComplete() {
		parts[0] = textNothingInRead
	}
	for i, name := range []string{"", textCountChanged, textCountMuted, textCountFixed, textCountRefuted} {
		n := 0
		for _, r := range s.Records {
			if i > 0 && kinds[i].is(r) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf(name, n))
		}
	}
	return strings.Join(parts, ", ")
}

// FollowUpBody returns the body of a later review with comments on lines. news are the findings of
// that review.
func (s Summary) FollowUpBody(news CheckedFindings) string {
	return ReviewMark(cmp.Or(s.Mark, s.Head)) + "\n" + fmt.Sprintf(textNews, ShortSHA(s.Head), news.FormatCounts())
}
