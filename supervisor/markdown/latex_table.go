package markdown

// superscripts and subscripts map characters to their small forms in Unicode.
var (
	superscripts = charPairs("0123456789+-=()niabcdefghjklmoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
	subscripts   = charPairs("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
)

// charPairs maps each character of from to the character of to at the same position.
func charPairs(from, to string) map[rune]rune {
	all, small := map[rune]rune{}, []rune(to)
	for i, c := range []rune(from) {
		all[c] = small[i]
	}
	return all
}

// latexAccents maps commands to the combining character that they put on a letter.
var latexAccents = map[string]string{
	"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303",
	"vec": "\u20D7", "dot": "\u0307",
	"ddot": "\u0308",
}

// latexSymbols maps commands without arguments to text. (Names by The Comprehensive LaTeX Symbol
// List.)
var latexSymbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
	"zeta": "ζ", "eta": "η",
	"theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
	"xi": "ξ", "pi": "π",
	"rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ",
	"psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
	"Upsilon": "Υ", "Phi": "Φ",
	"Psi": "Ψ", "Omega": "Ω", "hbar": "ħ", "ell": "ℓ", "Re": "Re", "Im": "Im", "partial": "∂",
	"nabla": "∇", "infty": "∞",
	"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "lim": "lim", "log": "log",
	"ln": "ln", "exp": "exp",
	"sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "arcsin": "arcsin", "arccos": "arccos",
	"arctan": "arctan",
	"sinh":   "sinh", "cosh": "cosh", "tanh": "tanh", "max": "max", "min": "min", "sup": "sup",
	"inf": "inf", "det": "det",
	"dim": "dim", "gcd": "gcd", "arg": "arg", "mod": "mod", "bmod": "mod", "pmod": "mod ",
	"cdot": "·", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆",
	"circ": "∘", "bullet": "•",
	"oplus": "⊕", "otimes": "⊗", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
	"ne": "≠", "approx": "≈",
	"equiv": "≡", "sim": "∼", "simeq": "≃", "cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫",
	"perp": "⊥", "parallel": "∥",
	"mid": "|", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
	"supseteq": "⊇",
	"cup":      "∪", "cap": "∩", "setminus": "∖", "emptyset": "∅", "varnothing": "∅", "forall": "∀",
	"exists": "∃", "nexists": "∄",
	"neg": "¬", "lnot": "¬", "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "to": "→",
	"rightarrow": "→", "leftarrow": "←",
	"gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "implies": "⇒", "Leftarrow": "⇐", "iff": "⇔",
	"Leftrightarrow": "⇔", "mapsto": "↦", "uparrow": "↑", "downarrow": "↓", "ldots": "…",
	"cdots": "⋯", "dots": "…",
	"vdots": "⋮", "ddots": "⋱", "therefore": "∴", "because": "∵", "angle": "∠", "triangle": "△",
	"degree": "°", "prime": "′",
	"langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
	"lvert": "|", "rvert": "|",
	"lVert": "‖", "rVert": "‖", "Vert": "‖", "left": "", "right": "", "big": "", "Big": "",
	"bigl": "", "bigr": "",
	"displaystyle": "", "limits": "", "nonumber": "", "quad": "  ", "qquad": "  ", ",": " ",
	";": " ", ":": " ", "!": "", " ": " ",
	"\n": " ", `\`: "\n", "{": "{", "}": "}", "%": "%", "$": "$", "&": "&", "#": "#", "_": "_", "|": "‖",
}
