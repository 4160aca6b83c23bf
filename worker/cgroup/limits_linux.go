package cgroup

import (
	"fmt"
	"strconv"
)

// Limits hold for all the processes of a group together. Zero means no limit, and for a weight the
// default, 100.
type Limits struct {
	// bytes of memory, with swapped bytes; above this limit the kernel kills a process of the group
	Memory int64
	// bytes of memory, only with v2; above this limit the kernel slows the group down and frees its
	// caches
	MemoryHigh int64
	PIDs       int // processes and threads; above this limit fork(2) fails
	CPUWeight  int // 1 to 10000: weight for processor time, relative to other groups
	IOWeight   int // 1 to 10000: weight for disk time, if the disk's scheduler supports weights
}

const (
	defaultWeight = 100
	maxWeight     = 10000 // the maximum weight of cgroup-v2, "Weights"
)

func (l Limits) check() error {
	for _, f := range []struct {
		name   string
		value  int64
		atMost int64
	}{
		{"memory", l.Memory, 1 << 62},
		{"memory high", l.MemoryHigh, 1 << 62},
		{"pids", int64(l.PIDs), 1 << 22}, // PID_MAX_LIMIT: the kernel refuses more
		{"cpu weight", int64(l.CPUWeight), maxWeight},
		{"io weight", int64(l.IOWeight), maxWeight},
	} {
		if f.value < 0 || f.value > f.atMost {
			return fmt.Errorf("limit %s: %d, want 0 to %d", f.name, f.value, f.atMost)
		}
	}
	return nil
}

// setting is a file for a limit. A new group has no limits, so an empty text is not written.
type setting struct {
	controller string
	file       string
	optional   bool // whether the file may be missing, because some kernels lack it
	text       func(Limits) string
}

// settings are written in this order.
var settings = map[Kind][]setting{
	KindV2: {
		{"memory", "memory.max", false, func(l Limits) string { return decimal(l.Memory) }},
		{"memory", "memory.high", false, func(l Limits) string { return decimal(l.MemoryHigh) }},
		{"memory", "memory.swap.max", true, func(l Limits) string { return swapLimit(l.Memory) }},
		{"pids", "pids.max", false, func(l Limits) string { return decimal(int64(l.PIDs)) }},
		{"cpu", "cpu.weight", false, func(l Limits) string { return decimal(int64(l.CPUWeight)) }},
		{"io", "io.weight", true, func(l Limits) string { return decimal(int64(l.IOWeight)) }},
		{"io", "io.bfq.weight", true, func(l Limits) string { return scaleWeight(l.IOWeight, 100, 1, 1000) }},
	},
	KindV1: {
		{"memory", "memory.limit_in_bytes", false, func(l Limits) string { return decimal(l.Memory) }},
		{"memory", "memory.memsw.limit_in_bytes", true, func(l Limits) string { return decimal(l.Memory) }},
		{"pids", "pids.max", false, func(l Limits) string { return decimal(int64(l.PIDs)) }},
		{"cpu", "cpu.shares", false, func(l Limits) string { return scaleWeight(l.CPUWeight, 1024, 2, 1<<18) }},
		{"blkio", "blkio.weight", true, func(l Limits) string { return scaleWeight(l.IOWeight, 500, 10, 1000) }},
		{"blkio", "blkio.bfq.weight", true, func(l Limits) string { return scaleWeight(l.IOWeight, 100, 1, 1000) }},
	},
}

func decimal(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// swapLimit returns the limit of swap space for a limit of memory. It keeps processes with limited
// memory from using swap space instead.
func swapLimit(memory int64) string {
	if memory == 0 {
		return ""
	}
	return "0"
}

// scaleWeight converts a weight to another scale, on which usual is the default.
func scaleWeight(weight, usual, least, most int) string {
	if weight == 0 {
		return ""
	}
	return strconv.Itoa(min(max(weight*usual/defaultWeight, least), most))
}

const maxName = 64

func checkName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("group name %.80q: %d bytes, want 1 to %d", name, len(name), maxName)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return fmt.Errorf("group name %q: only a-z, 0-9, _ and - may be in it", name)
		}
	}
	return nil
}
