// Command corridor is the command line of package cmd with the shipped adapters.
package main

import (
	"github.com/corridor-go/corridor/adapters/cmd"
	"github.com/corridor-go/corridor/adapters/service"
)

func main() { cmd.Main(service.Shipped()) }
