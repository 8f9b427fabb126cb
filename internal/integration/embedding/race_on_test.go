//go:build race

package embedding_test

const race = "-race=true"
