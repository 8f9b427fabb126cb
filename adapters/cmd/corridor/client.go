package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/service"
)

type clientCmd struct {
	New  clientNewCmd  `cmd:"" help:"Make a client: its entry on standard output, its secret, shown once, on standard error."`
	Hash clientHashCmd `cmd:"" help:"Print the entry of a secret given as one line on standard input."`
}

type clientNewCmd struct {
	ID        string    `arg:""                                                                                                   help:"The client's id."`
	Merchants []string  `help:"Merchants that it may name; none: any."                                                            name:"merchant"`
	NotBefore time.Time `help:"The secret is valid from then on (RFC 3339)."`
	NotAfter  time.Time `help:"No token is given for the secret from then on (RFC 3339); earlier ones live on until they expire."`
}

type clientHashCmd struct{}

// entry is a client as the clients file has it.
type entry struct {
	ID        string        `json:"id"`
	Secrets   []secretEntry `json:"secrets"`
	Merchants []string      `json:"merchants,omitempty"`
}

type secretEntry struct {
	SHA256    string    `json:"sha256"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	NotAfter  time.Time `json:"notAfter,omitzero"`
}

// Run makes the client.
func (c *clientNewCmd) Run(world *surroundings) error {
	if c.ID == "" {
		return service.Reject(errors.New("a client's id is not empty"))
	}
	if !c.NotAfter.IsZero() && !c.NotAfter.After(c.NotBefore) {
		return service.Reject(errors.New("--not-after lies after --not-before"))
	}
	secret, hash, err := clientauth.NewSecret(rand.Reader)
	if err != nil {
		return err
	}
	out := json.NewEncoder(world.stdout)
	err = out.Encode(entry{
		ID: c.ID, Merchants: c.Merchants,
		Secrets: []secretEntry{{hex.EncodeToString(hash[:]), c.NotBefore, c.NotAfter}},
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(world.stderr, "client_secret, shown once:", string(secret))
	return err
}

// minSecret is 128 bits in base64: a hash of less could be guessed.
const minSecret = 22

// Run hashes the secret.
func (c *clientHashCmd) Run(world *surroundings) error {
	line, err := bufio.NewReader(world.stdin).ReadString('\n')
	secret := strings.TrimRight(line, "\r\n")
	if secret == "" {
		return service.Reject(fmt.Errorf("no secret on standard input: %w", err))
	}
	if len(secret) < minSecret {
		return service.Reject(fmt.Errorf("a secret has at least %d characters (128 random bits); corridor client new makes one", minSecret))
	}
	hash := clientauth.HashSecret(secret)
	return json.NewEncoder(world.stdout).Encode(secretEntry{SHA256: hex.EncodeToString(hash[:])})
}
