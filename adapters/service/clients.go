package service

import (
	"errors"
	"os"

	"github.com/corridor-go/corridor/adapters/clientauth"
)

const clientsEnv = "CORRIDOR_CLIENTS" // no flag: a command line is seen by every user of the machine

// clients opens the source of clients; nil: the sandbox's own, in the store.
func (b *builder) clients() (clientauth.Clients, error) {
	inline := os.Getenv(clientsEnv)
	switch {
	case b.settings.ClientsFile != "" && inline != "":
		return nil, errors.New("--clients-file and " + clientsEnv + " exclude each other")
	case b.settings.ClientsFile != "":
		return clientauth.OpenFile(b.settings.ClientsFile, &clientauth.FileConfig{Logger: b.log})
	case inline != "":
		return clientauth.Parse(inline)
	case b.settings.Sandbox:
		return nil, nil //nolint:nilnil // no source of its own, which is no error
	default:
		return nil, errors.New("clients are required: --clients-file, " + clientsEnv + ", or --sandbox")
	}
}
