//go:build !race

package embedding_test

// race has the go command build as this test was built, so that what is compiled
// already is not compiled again.
const race = "-race=false"
