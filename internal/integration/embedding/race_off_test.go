//go:build !race

package embedding_test

// race is the go command's flag with which this test was built: with the same flag,
// compiled packages are reused.
const race = "-race=false"
