// Package operations runs what internal/docs/operations.md tells operators to type.
package operations
