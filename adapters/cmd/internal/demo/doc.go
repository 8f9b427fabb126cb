// Package demo demonstrates a few rate locks, account validations, failures and a report,
// in process, on a clock that it moves itself.
package demo
