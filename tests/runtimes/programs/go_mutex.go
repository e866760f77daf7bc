// SPDX-License-Identifier: GPL-2.0

// sync.Mutex: four goroutines compute, and each now and then calls compactJournal with the lock held,
// which takes longer than what they do in parallel.
package main

import (
	"os"
	"strconv"
	"sync"
)

const rounds = 8

var (
	loopsPerMs uint64
	journal    []uint64
	lock       sync.Mutex
)

func burn(milliseconds uint64) uint64 {
	x := uint64(1)
	for i := loopsPerMs * milliseconds; i > 0; i-- {
		x = x*6364136223846793005 + 1
	}
	return x
}

//go:noinline
func readEntry() uint64 {
	return burn(10)
}

//go:noinline
func compactJournal() {
	journal = append(journal, burn(30))
}

func worker(done *sync.WaitGroup) {
	defer done.Done()
	for i := 0; i < rounds; i++ {
		readEntry()
		lock.Lock()
		compactJournal()
		lock.Unlock()
	}
}

func main() {
	var err error
	var done sync.WaitGroup

	loopsPerMs, err = strconv.ParseUint(os.Getenv("TRUTH_LOOPS_PER_MS"), 10, 64)
	if err != nil {
		panic(err)
	}
	done.Add(4)
	for i := 0; i < 4; i++ {
		go worker(&done)
	}
	done.Wait()
	if len(journal) != 4*rounds {
		panic("entries are missing")
	}
}
