package service

import (
	"errors"
	"fmt"
	"os"

	"github.com/corridor-go/corridor/adapters/clientauth"
)

const clientsEnv = "CORRIDOR_CLIENTS" // not a flag: command lines are visible to every user of the machine

// clients opens the source of clients. nil means the sandbox client in the store.
func (b *builder) clients() (clientauth.Clients, error) {
	inline := os.Getenv(clientsEnv)
	switch {
	case b.settings.ClientsFile != "" && inline != "":
		return nil, errors.New("--clients-file and " + clientsEnv + " cannot be combined")
	case b.settings.ClientsFile != "":
		return clientauth.OpenFile(b.settings.ClientsFile, &clientauth.FileConfig{Logger: b.log})
	case inline != "":
		parse := clientauth.Parse
		if b.settings.Sandbox {
			parse = clientauth.ParseTrial
		}
		clients, err := parse(inline)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clientsEnv, err)
		}
		return clients, nil
	case b.settings.Sandbox:
		return nil, nil //nolint:nilnil // nil is a valid result
	default:
		return nil, errors.New("clients are required: --clients-file, " + clientsEnv + ", or --sandbox")
	}
}
