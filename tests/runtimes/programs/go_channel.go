// SPDX-License-Identifier: GPL-2.0

// A channel: one goroutine takes longer for an entry than three others together, who wait for it:
// parseEntry.
package main

import (
	"os"
	"strconv"
	"sync"
)

const entries = 30

var loopsPerMs uint64

func burn(milliseconds uint64) uint64 {
	x := uint64(1)
	for i := loopsPerMs * milliseconds; i > 0; i-- {
		x = x*6364136223846793005 + 1
	}
	return x
}

//go:noinline
func parseEntry() uint64 {
	return burn(30)
}

//go:noinline
func storeEntry(entry uint64) {
	burn(5)
}

func main() {
	var err error
	var done sync.WaitGroup
	parsed := make(chan uint64)

	loopsPerMs, err = strconv.ParseUint(os.Getenv("TRUTH_LOOPS_PER_MS"), 10, 64)
	if err != nil {
		panic(err)
	}
	done.Add(3)
	for i := 0; i < 3; i++ {
		go func() {
			defer done.Done()
			for entry := range parsed {
				storeEntry(entry)
			}
		}()
	}
	for i := 0; i < entries; i++ {
		parsed <- parseEntry()
	}
	close(parsed)
	done.Wait()
}
