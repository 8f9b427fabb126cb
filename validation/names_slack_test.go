//go:build !race

package validation_test

const slack = 1
