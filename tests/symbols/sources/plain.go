// SPDX-License-Identifier: GPL-2.0
// Goroutines, methods and closures.
package main

import (
	"fmt"
	"sort"
)

type box struct{ values []int }

func (b *box) add(value int) { b.values = append(b.values, value) }

func square(x int) int { return x * x }

func work(from int, done chan<- int) {
	b := &box{}
	for i := 0; i < 100; i++ {
		b.add(square(from - i))
	}
	sort.Slice(b.values, func(i, j int) bool { return b.values[i] < b.values[j] })
	done <- b.values[0]
}

func main() {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go work(i, done)
	}
	for i := 0; i < 4; i++ {
		fmt.Println(<-done)
	}
}
