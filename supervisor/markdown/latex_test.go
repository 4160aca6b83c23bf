package markdown_test

import (
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

func TestFormula_LaTeX_BecomesReadable(t *testing.T) {
	for md, want := range map[string]string{
		`$E = mc^2$`:          "E = mc²",
		`\(a^2 + b^2 = c^2\)`: "a² + b² = c²",
		`$$x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$`: "x = (-b ± √(b² - 4ac))/2a",
		`$\frac{1}{2}$`:                                      "1/2",
		`$\sqrt[3]{x_1}$`:                                    "³√x₁",
		`$\alpha \leq \beta \cdot 10^{-3}$`:                  "α ≤ β · 10⁻³",
		`$\sum_{i=0}^{n} x_i$`:                               "∑ᵢ₌₀ⁿ xᵢ",
		`$e^{i\pi} = -1$`:                                    "e^(iπ) = -1",
		`$x_{1,2}$`:                                          "x_(1,2)",
		`$\vec{v} \in \mathbb{R}$`:                           "v⃗ ∈ R",
		`$\text{speed} = \frac{\Delta s}{\Delta t}$`:         "speed = (Δ s)/(Δ t)",
		`$\left( \frac{a}{b} \right)^2$`:                     "( a/b )²",
		`\[\begin{aligned} a &= b \\ c &= d \end{aligned}\]`: "a = b\nc = d",
		`$\unknown{x} + 1$`:                                  `\unknownx + 1`,
		// unbalanced braces, prices and names stay as they are
		`$\frac{a}{b$`:                `$\frac{a}{b$`,
		`$5 and $10`:                  "$5 and $10",
		`It costs $5 (US$3_4).`:       "It costs $5 (US$3_4).",
		`${HOME} costs $ 5_000 $ now`: "${HOME} costs $ 5_000 $ now",
		`$x_1$2`:                      "$x_1$2",
		`$x^$`:                        "$x^$",
		"$" + strings.Repeat("{", 100) + "x" + strings.Repeat("}", 100) + "$": "$" + strings.Repeat("{", 100) + "x" +
			strings.Repeat("}", 100) + "$",
	} {
		if got := markdown.Render(md).Text; got != want {
			t.Errorf("%s is shown as %q, want %q", md, got, want)
		}
	}
}

// Chinese, Japanese and Korean have no spaces around marks. Other text keeps CommonMark's rules.
func TestEmphasis_NextToCJK_IsMarked(t *testing.T) {
	for md, want := range map[string]string{
		`**中文。**后面`:     "bold 中文。",
		`前面**「中文」**后面`:  "bold 「中文」",
		`**重要：**请注意`:    "bold 重要：",
		`*斜体，*后面`:       "italic 斜体，",
		`这是**粗体**字`:     "bold 粗体",
		`これは**「強調」**です`: "bold 「強調」",
		`**한국어(韓國語)**는`: "bold 한국어(韓國語)",
		"用`code`写":      "code code",
		"**`code`**后面":  "code code",
		`文件_名称_后面`:      "",
		`3*4*5`:         "italic 4",
		`a ** b ** c`:   "",
		`**word.**next`: "",
		`中文 * 中文 * 中文`:  "",
	} {
		for name, render := range map[string]func(string) string{
			"whole":   func(md string) string { return marks(markdown.Render(md)) },
			"growing": func(md string) string { return marks(markdown.RenderGrowing(md + "\n\n")) },
		} {
			if got := render(md); got != want {
				t.Errorf("%s, %s: marked is %q, want %q", md, name, got, want)
			}
		}
	}
	if got := marks(markdown.RenderGrowing(`前面**「中文`)); got != "bold 「中文" {
		t.Errorf("an open mark next to a CJK letter: %q", got)
	}
}

// marks lists the entities of a text, in order.
func marks(t supervisor.RichText) string {
	var all []string
	for _, e := range t.Entities {
		all = append(all, string(e.Type)+" "+covered(t.Text, e))
	}
	return strings.Join(all, ", ")
}
