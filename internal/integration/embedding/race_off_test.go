//go:build !race

package embedding_test

// race makes the go command build like this test, so that compiled packages are reused.
const race = "-race=false"
