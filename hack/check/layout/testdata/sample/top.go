// Package sample has a file that refers back to one above it.
package sample

// Start calls down, twice.
func Start() int { return middle() + bottom() }

func helper() int { return 1 }
