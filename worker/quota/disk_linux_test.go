package quota

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk mounts a file system of 20 MiB with a reserve of 1 MiB.
func smallDisk(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=20m"); err != nil {
		t.Skipf("a disk of its own takes mounting a tmpfs, which needs CAP_SYS_ADMIN here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
}

// TestCheckGrowth_SmallDisk_KeepsReserve uses a real file system.
func TestCheckGrowth_SmallDisk_KeepsReserve(t *testing.T) {
	dir := t.TempDir()
	smallDisk(t, dir)
	q := newQuota(t, Options{Dir: dir, Disk: statDisk})
	wantMessage(t, q.CheckGrowth(19*mib), "")
	wantMessage(t, q.CheckGrowth(19*mib+1), "the disk has 20 MiB free of 20 MiB, and 1 MiB are kept free")
	fill(t, q, "a", 19*mib)
	wantMessage(t, q.CheckGrowth(1), "the disk has 1 MiB free of 20 MiB")
	if used, _ := counted(t, q); used != 19*mib {
		t.Errorf("counted %d bytes", used)
	}
	must(t, os.Remove(filepath.Join(dir, "a")))
	wantMessage(t, q.CheckGrowth(19*mib), "")
}

func TestMeasure_MountedDisk_IsNotCounted(t *testing.T) {
	q := newQuota(t, Options{})
	other := filepath.Join(q.options.Dir, "other")
	must(t, os.Mkdir(other, 0o755))
	before, _ := counted(t, q)
	smallDisk(t, other)
	fill(t, q, "other/a", 2*mib)
	if used, more := counted(t, q); used > before || more {
		t.Errorf("counted %d bytes, %d before", used, before)
	}
}

func TestStatDisk_RealDisk_HasSizes(t *testing.T) {
	d, err := statDisk(t.TempDir())
	if err != nil || d.Total <= 0 || d.Free < 0 || d.Free > d.Total || d.Project {
		t.Errorf("got %+v, %v", d, err)
	}
	if _, err := statDisk("/none"); err == nil {
		t.Error("of what is not there something was told")
	}
}

func TestProjectQuotas_FollowMountOptions(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,quota,prjquota,errors=remount-ro
23 22 254:1 / /srv rw shared:1 - xfs /dev/vdb rw,attr2,inode64,prjquota
24 22 254:2 / /var rw - xfs /dev/vdc rw,pqnoenforce
25 22 254:3 / /opt rw,prjquota - ext4 /dev/vdd rw,noprjquota
26 22 254:4 / /x
`
	for minor, want := range map[uint32]bool{0: true, 1: true, 2: false, 3: false, 4: false, 5: false} {
		if got := limitsProjects(mounts, unix.Mkdev(254, minor)); got != want {
			t.Errorf("254:%d: %t, want %t", minor, got, want)
		}
	}
}

func FuzzMounts(f *testing.F) {
	f.Add("22 1 254:0 / / rw - ext4 /dev/vda rw,prjquota", uint64(1))
	f.Fuzz(func(_ *testing.T, mounts string, device uint64) { limitsProjects(mounts, device) })
}
