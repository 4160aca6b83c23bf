package markdown_test

import (
	"os"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

// answer returns about 4 KB of Markdown as a model writes it.
func answer(b *testing.B) string {
	md, err := os.ReadFile("testdata/code-review.md")
	if err != nil {
		b.Fatal(err)
	}
	return strings.Repeat(string(md)+"\n\n", 1+4096/len(md))[:4096]
}

func BenchmarkRenderAndSplit(b *testing.B) {
	md := answer(b)
	b.SetBytes(int64(len(md)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.SplitMessage(markdown.Render(md), markdown.MaxMessageUTF16Units)
	}
}

func BenchmarkRenderGrowing(b *testing.B) {
	md := answer(b) + "and **then"
	b.SetBytes(int64(len(md)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.RenderGrowing(md)
	}
}

// BenchmarkSplitMessage_LongLine cuts a fence with one line of 1 MiB.
func BenchmarkSplitMessage_LongLine(b *testing.B) {
	t := supervisor.RichText{Text: strings.Repeat("x", 1<<20), Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityPre, Length: 1 << 20},
	}}
	b.SetBytes(1 << 20)
	for b.Loop() {
		markdown.SplitMessage(t, markdown.MaxMessageUTF16Units)
	}
}
