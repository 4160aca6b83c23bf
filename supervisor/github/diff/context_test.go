package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEnclosingFunction_Languages_IsFound marks the function's lines with >, and the line whose
// function is searched with *.
func TestEnclosingFunction_Languages_IsFound(t *testing.T) {
	for name, text := range map[string]string{
		"go": `
 package x

 var a = 1

>func (s *S) Foo(
>	a int,
>) error {
>	if a > 0 {
>		for range a {
*			s.run(func() { a++ })
>		}
>	}
>	return nil
>}

 func next() {}`,
		"go closure": `
>func TestX(t *testing.T) {
>	t.Run("a", func(t *testing.T) {
*		x()
>	})
>}`,
		"go type": `
>type T struct {
>	a int
*	b int
>}
 func f() {}`,
		"go signature": `
*func f(a int) {
>	a++
>}`,
		"go last line": `
 func e() {
 	b()
 }
>func f() {
>	a()
*}`,
		"go label and directive": `
>func f() {
>again:
>	a()
> 	//go:nosplit
*	goto again
>}`,
		"python": `
 class A:
     def one(self):
         pass

>    async def two(self, a):
>        try:
>            pass
>        except E:
*            raise
>        # done
>        return 1

     def three(self):
         pass`,
		"python top": `
 import a
*x = 1`,
		"javascript": `
 class A {
   static one(a) {
     b()
   }
>  async two(a, b) {
>    if (a) {
*      c()
>    }
>  }
 }`,
		"arrow": `
>export const f = async (a) => {
*  await b()
>}
 const g = 1`,
		"java": `
 public class A {
     private final int a = 1;

>    public List<String> two(int a)
>            throws IOException {
>        synchronized (this) {
*            b();
>        }
>    }

     int three() { return 3; }
 }`,
		"c": `
 #include <a.h>

>static int
>foo(const char *a, int b)
>{
>#ifdef X
>	if (a)
>#endif
*		return b;
>out:
>	return 0;
>}`,
		"rust": `
 impl A {
     pub(crate) fn one(&self) {}

>    pub(crate) async fn two<T>(&self, a: T) -> Result<()>
>    where
>        T: B,
>    {
*        self.b(a)
>    }
 }`,
		"ruby": `
 module A
>  def two(a)
>    a.each do |b|
*      c b
>    end
>  end
 end`,
		"no line of a function": `
 func f() {
 	a()
 }

*// about g
 func g() {
 }`,
	} {
		var lines []string
		want, at := lineSpan{}, 0
		for i, line := range strings.Split(text[1:], "\n") {
			mark, rest := byte(' '), ""
			if line != "" {
				mark, rest = line[0], line[1:]
			}
			lines = append(lines, rest)
			if mark == '*' {
				at = i + 1
			}
			if mark == '>' || mark == '*' && name != "python top" && name != "no line of a function" {
				if want.first == 0 {
					want.first = i + 1
				}
				want.last = i + 1
			}
		}
		if name == "c" { // in C, the function's name may be on the line below its type
			want.first++
		}
		got, ok := newSource(strings.Join(lines, "\n") + "\n").enclosing(at)
		if ok != (want.first > 0) || ok && got != want {
			t.Errorf("%s: lines %+v, %t; want %+v", name, got, ok, want)
		}
	}
}

// manyFunctions returns a Go file of n functions with ten lines each.
func manyFunctions(n int) string {
	var b strings.Builder
	b.WriteString("package x\n")
	for i := range n {
		fmt.Fprintf(&b, "\nfunc f%d(a int) {\n", i)
		for j := range 7 {
			fmt.Fprintf(&b, "\ta += %d // %s\n", j, strings.Repeat("x", 20))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// changeAt returns a file in which the given lines of the new file were added.
func changeAt(text string, lines ...int) File {
	f := File{Old: "a.go", New: "a.go", Status: FileModified}
	all := strings.Split(text, "\n")
	for _, n := range lines {
		f.Hunks = append(f.Hunks, Hunk{OldStart: n - 1, OldLines: 2, NewStart: n - 1, NewLines: 3, parents: 1,
			body: " " + all[n-2] + "\n+" + all[n-1] + "\n " + all[n] + "\n"})
	}
	return f
}

func TestContextOfChunk_LargeFiles_ShowFunctions(t *testing.T) {
	small, large := manyFunctions(20), manyFunctions(20_000)
	if len(large) < 1<<20 {
		t.Fatal(len(large))
	}
	got := ContextOfChunk(Chunk{changeAt(small, 7)}, map[string]string{"a.go": small})["a.go"]
	if got.Functions != "" || !strings.HasPrefix(got.Whole, "R1  package x\nR2  \nR3  func f0(a int) {\n") {
		t.Errorf("a small file: %+v", got)
	}
	got = ContextOfChunk(Chunk{changeAt(large, 100_005, 100_007, 150_006)}, map[string]string{"a.go": large})["a.go"]
	for _, line := range []string{"R100003  func f10000(a int) {\n", "R100011  }\n",
		"R150003  func f15000(a int) {\n"} {
		if got.Whole != "" || strings.Count(got.Functions, line) != 1 {
			t.Errorf("not once %q in %q", line, got.Functions)
		}
	}
	if n := strings.Count(got.Functions, "\n"); n != 2*9+1 {
		t.Errorf("%d lines in %q", n, got.Functions)
	}
	if none := ContextOfChunk(Chunk{changeAt(large, 100_005)}, nil); len(none) != 0 {
		t.Errorf("without a head: %+v", none)
	}
	if none := ContextOfChunk(Chunk{changeAt(large, 2)},
		map[string]string{"a.go": large})["a.go"]; none.Functions != "" {
		t.Errorf("outside of functions: %+v", none)
	}
}

func TestContextOfChunk_LargeFunctions_StayBounded(t *testing.T) {
	long := "package x\n\nfunc long() {\n" + strings.Repeat("\tcall(\"something long enough\")\n", 9_000) + "}\n"
	got := ContextOfChunk(Chunk{changeAt(long, 5_000)}, map[string]string{"a.go": long})["a.go"].Functions
	if len(got) > maxFunction+100 || !strings.HasPrefix(got, "R3  func long() {\n(") ||
		!strings.Contains(got, "R5000  ") || !strings.Contains(got, "R4999  ") ||
		!strings.HasSuffix(got, " lines left out)\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	large := manyFunctions(4_000)
	var lines []int
	for i := range 2_000 {
		lines = append(lines, 10*2*i+6)
	}
	got = ContextOfChunk(Chunk{changeAt(large, lines...)}, map[string]string{"a.go": large})["a.go"].Functions
	if n := strings.Count(got, "func f"); n != 2_000 || len(got) > 2_000*(minFunction+60) {
		t.Errorf("%d functions of 2,000 in %d bytes", n, len(got))
	}
	hostile := strings.Repeat("\tx\n", 200_000)
	if got := ContextOfChunk(Chunk{changeAt(hostile, 100_000)},
		map[string]string{"a.go": hostile})["a.go"]; got.Functions != "" {
		t.Errorf("%.200q", got)
	}
}

// TestContextOfChunk_AnyHunks_DoNotPanic draws random contents that do not fit the hunks of the
// file.
func TestContextOfChunk_AnyHunks_DoNotPanic(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	lines := []string{"", "}", "{", "func f() {", "\tx()", "class A:", "    def g(self):", "#if", ")", "\t", "\r",
		"a: b"}
	for range 3_000 {
		var text strings.Builder
		for range random.IntN(40) {
			text.WriteString(lines[random.IntN(len(lines))] + "\n")
		}
		f := File{Old: "a", New: "a", Status: FileModified}
		for range random.IntN(4) {
			h := Hunk{OldStart: random.IntN(50), NewStart: random.IntN(50), parents: 1}
			for range random.IntN(8) {
				h.body += string(" +-"[random.IntN(3)]) + lines[random.IntN(len(lines))] + "\n"
			}
			f.Hunks = append(f.Hunks, h)
		}
		head := text.String()
		list := functionsOf(f, newSource(head))
		functionText(newSource(head), list, random.IntN(100))
		for _, one := range list {
			if one.first < 1 || one.last < one.first || one.last > strings.Count(head, "\n")+1 {
				t.Fatalf("%+v of %q", one, head)
			}
		}
		FindQuote(head, lines[random.IntN(len(lines))], random.IntN(60)-5)
	}
}
