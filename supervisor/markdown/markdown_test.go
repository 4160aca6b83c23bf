package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

func TestRender_NothingVisible_GivesEmptyText(t *testing.T) {
	for _, md := range []string{"", " ", "\n\n", "```go\n```", ">", "\u200b", "&nbsp;"} {
		if diff := cmp.Diff(supervisor.RichText{}, markdown.Render(md)); diff != "" {
			t.Errorf("%q: %s", md, diff)
		}
	}
	if parts := markdown.SplitMessage(supervisor.RichText{Text: " \n "}, 10); parts != nil {
		t.Errorf("white space in parts is %+v", parts)
	}
}

// TestLinks_UnsupportedAddress_IsShownAsText checks which links Telegram accepts. The address of
// any other link is shown as text, because Telegram would drop it.
func TestLinks_UnsupportedAddress_IsShownAsText(t *testing.T) {
	for address, link := range map[string]bool{
		"https://x.org": true, "HTTP://x.org/a": true, "https://1.2.3.4:80": true,
		"tg://user?id=1": true, "http://localhost/x": false, "https://": false, "ftp://x.org": false, "javascript:alert(1)": false,
		"/x": false, "#x": false, "https://x.org:port/": false,
	} {
		got := markdown.Render("[words](" + address + ")")
		want := supervisor.RichText{Text: "words (" + address + ")"}
		if link {
			want = supervisor.RichText{Text: "words", Entities: []supervisor.RichTextEntity{
				{Type: supervisor.EntityLink, Length: 5, URL: address},
			}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
	}
}

// TestSpoiler_HidesCode checks that a spoiler hides code, which would otherwise be readable.
func TestSpoiler_HidesCode(t *testing.T) {
	got := markdown.Render("||it is `rope`, **really**||")
	for _, e := range got.Entities {
		if e.Type == supervisor.EntitySpoiler && covered(got.Text, e) == "it is rope, really" {
			return
		}
	}
	t.Errorf("got %+v", got)
}

// TestRender_HostileText_IsFast renders texts that slow parsers down. If the time were quadratic,
// the test would not end.
func TestRender_HostileText_IsFast(t *testing.T) {
	for _, s := range []string{
		"[", "]", "[]", "![", "*", "**a ", "*a _b ", "`", "` `` ", "``` ", "<", "<a ", "</b>", "<b>", "$", "$$ ", "\\[", "~",
		"~~a ", "||", "||a ", "> ", ">", "- ", "1. ", "#", "[a](", "[a](b", "[^a]", "[a]: b\n", "[^a]: b\n", "|a", "|-", "a|b\n-|-\n",
		"a\n-\n", "<!-- ", "<?", "&", "&#", "\\", "a@", "http://a.b/(", "e\u0301", "\u0301", "👩‍", "\t", " \n", "- a\n", "_a",
		"*a*b", "![a](b", "[a](<", "- - - x\n\n", "$a=$b", "<a href=\"", "\n\n",
	} {
		md := strings.Repeat(s, 16<<10/len(s))
		checkSplit(t, markdown.Render(md), markdown.MaxMessageUTF16Units, true)
		markdown.RenderGrowing(md)
	}
}
