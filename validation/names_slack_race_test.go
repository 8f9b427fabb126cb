//go:build race

package validation_test

// slack is what the race detector costs.
const slack = 20
