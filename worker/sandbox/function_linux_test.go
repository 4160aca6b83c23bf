package sandbox

import (
	"os"
	"strings"
	"testing"
)

// These tests run common programs behind the walls of every tier.

// python returns a shell script that runs a Python file from the home. (Python reads a module again
// in its children.)
func python(text string) string {
	return "cat >check.py <<'END'\n" + text + "\nEND\nexec /usr/bin/python3 check.py </dev/null\n"
}

// mustSucceed runs a script in each tier. The script must end with status 0 and print want.
func mustSucceed(t *testing.T, script, want string) {
	t.Helper()
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		if got := r.mustPrint(script); !strings.HasSuffix(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	})
}

// TestPythonMultiprocessing_OwnRoot_Works uses named semaphores, which are files of /dev/shm. Only
// the tiers with their own root have that folder.
func TestPythonMultiprocessing_OwnRoot_Works(t *testing.T) {
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		got := r.mustPrint(python(`
import multiprocessing as mp
def square(n): return n * n
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = mp.get_context(method)
        with context.Pool(3) as pool:
            print(pool.map(square, range(5)))
        queue, lock = context.Queue(), context.Lock()
        child = context.Process(target=queue.put, args=("from a child",))
        with lock: child.start()
        print(queue.get()); child.join()
    from multiprocessing import shared_memory
    memory = shared_memory.SharedMemory(create=True, size=4096); memory.buf[0] = 7; memory.close(); memory.unlink()`))
		if want := "[0, 1, 4, 9, 16]\nfrom a child"; got != want+"\n"+want {
			t.Errorf("it says %q", got)
		}
	})
}

func TestPythonMultiprocessing_Pipes_Work(t *testing.T) {
	mustSucceed(t, python(`
import multiprocessing as mp
def child(end): end.send("from a child")
if __name__ == "__main__":
    here, there = mp.Pipe()
    process = mp.get_context("spawn").Process(target=child, args=(there,))
    process.start(); print(here.recv()); process.join()`), "from a child")
}

func TestAsyncioSubprocess_InEachTier_Works(t *testing.T) {
	mustSucceed(t, python(`
import asyncio
async def one(n):
    p = await asyncio.create_subprocess_exec("/bin/sh", "-c", f"echo {n}; exit {n}", stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate()
    return out.decode().strip(), p.returncode
async def main():
    print(await asyncio.gather(*(one(n) for n in range(4))))
    slow = await asyncio.create_subprocess_exec("sleep", "60"); slow.kill(); print(await slow.wait())
asyncio.run(main())`), "[('0', 0), ('1', 1), ('2', 2), ('3', 3)]\n-9")
}

func TestPseudoTerminal_InEachTier_Works(t *testing.T) {
	mustSucceed(t, python(`
import pty, os
said = b""
def read(fd):
    global said
    b = os.read(fd, 1024); said += b; return b
status = pty.spawn(["/bin/sh", "-c", "test -t 0 && test -t 1 && tty && stty size && echo is a terminal"], read, lambda fd: b"")
print(status, b"/dev/pts/" in said)`), "is a terminal\r\n0 True")
}

func TestThreads_InEachTier_Work(t *testing.T) {
	mustSucceed(t, python(`
import threading
barrier, lock, total = threading.Barrier(50), threading.Lock(), 0
def run():
    global total
    barrier.wait()
    with lock: total += 1
threads = [threading.Thread(target=run) for _ in range(50)]
for t in threads: t.start()
for t in threads: t.join()
print(total)`), "50")
}

func TestPythonSQLite_InEachTier_Works(t *testing.T) {
	mustSucceed(t, python(`
import sqlite3
a = sqlite3.connect("x.db"); print(a.execute("pragma journal_mode=wal").fetchone())
a.execute("create table t(x)"); a.execute("insert into t values(1)"); a.commit()
b = sqlite3.connect("x.db"); print(b.execute("select x from t").fetchone())`), "('wal',)\n(1,)")
}

func TestSQLite_InEachTier_Works(t *testing.T) {
	mustSucceed(t, `echo 'pragma journal_mode=wal; create table t(x); insert into t values(1),(2); select sum(x) from t;' >x.sql
sqlite3 x.db <x.sql && sqlite3 x.db 'select count(*) from t' </dev/null`, "wal\n3\n2")
}

func TestGit_InEachTier_Works(t *testing.T) {
	mustSucceed(t, `exec 2>&1
mkdir repo && cd repo && git init -q -b main . && git config user.email a@example.org && git config user.name A
echo one >file && git add file && git commit -q -m one && git checkout -q -b side && echo two >>file && git commit -qam two
git checkout -q main && git merge -q side && git gc -q && git clone -q . ../copy && git -C ../copy log --format=%s
`, "two\none")
}

func TestMediaPrograms_InSandbox_Work(t *testing.T) {
	mustSucceed(t, `ffmpeg -hide_banner -loglevel error -nostdin -f lavfi -i sine=frequency=440:duration=1 -ar 16000 -ac 1 a.wav &&
ffmpeg -hide_banner -loglevel error -nostdin -i a.wav -c:a libvorbis a.ogg &&
ffmpeg -hide_banner -loglevel error -nostdin -i a.ogg -f s16le -ac 1 -ar 16000 pipe:1 | wc -c &&
ffprobe -v error -show_entries stream=codec_name,sample_rate -of csv=p=0 a.ogg`, "vorbis,16000")
}

func TestDocumentPrograms_InSandbox_Work(t *testing.T) {
	mustSucceed(t, `cat >a.pdf <<'END'
%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length 33>> stream
BT /F1 9 Tf 9 9 Td (words) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
END
ulimit -d 786432 && pdftotext a.pdf - 2>/dev/null | head -1 && pdftoppm -jpeg -scale-to 100 a.pdf 2>/dev/null | tail -c 2 | od -An -tx1`, "words\n ff d9")
}

func TestJobControl_InEachTier_Works(t *testing.T) {
	const jobs = `set -m
sleep 60 &
kill -STOP %1; wait %1 2>/dev/null
jobs -l | grep -c Stopped
bg %1 >/dev/null
kill %1; wait %1 2>/dev/null
echo ended with $?
`
	mustSucceed(t, "cat >jobs.sh <<'END'\n"+jobs+"END\nscript -qec 'bash jobs.sh' /dev/null </dev/null | tr -d '\\r'\n", "1\nended with 143")
}

// TestPrograms_EverydayTasks_Work runs small tasks that programs often need.
func TestPrograms_EverydayTasks_Work(t *testing.T) {
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		for script, want := range map[string]string{
			"echo x | tee /dev/stderr 2>/dev/null":                           "x",
			"bash -c 'cat <(echo x)'":                                        "x",
			"mkfifo f && (echo x >f &) && cat f":                             "x",
			"mktemp -d >/dev/null && echo x":                                 "x",
			"cat /dev/zero | head -c 3 | wc -c":                              "3",
			"head -c 3 /dev/urandom | wc -c":                                 "3",
			"sh -c 'sleep 60 & kill $!; wait $!; echo $?' 2>/dev/null":       "143",
			"nproc | grep -qE '^[0-9]+$' && echo x":                          "x",
			"getent hosts localhost | grep -c localhost":                     "1",
			"nice true && echo x":                                            "x",
			"cp /etc/hosts a && chmod 600 a && touch a && stat -c %a a":      "600",
			"mkdir d && echo x >d/a && mv d /workspaces/code/ && ls /home/d": "",
			"tar -cf a.tar -C /etc hosts && tar -tf a.tar":                   "hosts",
			"ulimit -n; ulimit -c":                                           "256\n0",
			"python3 -c 'import ssl; print(ssl.create_default_context().cert_store_stats()[\"x509\"] > 0)'": certificates(),
		} {
			got, err := r.run(script)
			if got = strings.TrimSpace(got); !strings.Contains(got, want) || err != nil && want != "" {
				t.Errorf("%s: %q, %v; want %q", script, got, err, want)
			}
			for _, name := range []string{"d", "a", "f", "a.tar"} {
				r.must(os.RemoveAll(r.host("home/" + name)))
			}
		}
	})
}

// certificates returns "True" if the host has certificates, otherwise "".
func certificates() string {
	if _, err := os.Stat("/etc/ssl/certs/ca-certificates.crt"); err != nil {
		return ""
	}
	return "True"
}
