module github.com/corridor-go/corridor/adapters/connector/resilient

go 1.26.0

require (
	github.com/corridor-go/corridor v0.0.0
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/stretchr/testify v1.11.1
	pgregory.net/rapid v1.2.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/cockroachdb/apd/v3 v3.2.1 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/corridor-go/corridor => ../../..
