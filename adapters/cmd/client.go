package cmd

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
	"github.com/corridor-go/corridor/ports"
)

type clientCmd struct {
	New   clientNewCmd   `cmd:"" help:"Create a client: print its entry on standard output and its secret, once, on standard error."`
	Hash  clientHashCmd  `cmd:"" help:"Print the entry of a secret, which is read as one line from standard input."`
	Check clientCheckCmd `cmd:"" help:"Check a clients file: print the number of its clients, or every mistake on standard error and exit with status 2."`

	Revoke clientRevokeCmd `cmd:"" help:"End all access tokens of a client, wherever the client is defined. Its secrets still buy new ones, and its download links work up to 15 minutes more, unless the client is disabled or its revokedBefore is set in the clients file."`
}

type clientNewCmd struct {
	ID        string    `arg:""                                                                                                                help:"The client's id."`
	Merchants []string  `help:"Merchants that the client may name; '*' means any."                                                             name:"merchant" required:""`
	NotBefore time.Time `help:"Time from which the secret is valid (RFC 3339)."`
	NotAfter  time.Time `help:"Time from which the secret and the tokens that it bought are invalid (RFC 3339)."`
}

type clientHashCmd struct{}

type clientCheckCmd struct {
	File string `arg:"" help:"The clients file."`
}

type clientRevokeCmd struct {
	storeSetting

	ID string `arg:"" help:"The client's id."`
}

// entry is a client's entry in the clients file.
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

// Run creates the client.
func (c *clientNewCmd) Run(world *surroundings) error {
	if c.ID == "" {
		return service.Reject(errors.New("the client's id must not be empty"))
	}
	if !c.NotAfter.IsZero() && !c.NotAfter.After(c.NotBefore) {
		return service.Reject(errors.New("--not-after must be after --not-before"))
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
	_, err = fmt.Fprintln(world.stderr, "client_secret, printed only once:", string(secret))
	return err
}

// Run prints the entry with the hash of the secret.
func (c *clientHashCmd) Run(world *surroundings) error {
	line, err := bufio.NewReader(world.stdin).ReadString('\n')
	secret := strings.TrimRight(line, "\r\n")
	if secret == "" {
		return service.Reject(fmt.Errorf("no secret on standard input: %w", err))
	}
	if len(secret) < clientauth.MinSecretLength {
		return service.Reject(fmt.Errorf("a secret must have at least %d bytes (128 random bits); corridor client new creates one", clientauth.MinSecretLength))
	}
	hash := clientauth.HashSecret(secret)
	return json.NewEncoder(world.stdout).Encode(secretEntry{SHA256: hex.EncodeToString(hash[:])})
}

// Run ends the client's tokens.
func (c *clientRevokeCmd) Run(world *surroundings) error {
	if c.ID == "" {
		return service.Reject(errors.New("the client's id must not be empty"))
	}
	row := operatorRow(ports.ActClientRevoked)
	row.Object = c.ID
	return c.with(world, func(s *service.Store) error {
		n, err := s.Tokens().RevokeAll(world.ctx, c.ID, row)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(world.stdout, "tokens revoked:", n)
		return err
	})
}

// Run prints the number of clients, or the mistakes.
func (c *clientCheckCmd) Run(world *surroundings) error {
	clients, mistakes := clientauth.CheckFile(c.File)
	if len(mistakes) == 0 {
		_, err := fmt.Fprintln(world.stdout, "clients:", clients)
		return err
	}
	for _, mistake := range mistakes {
		if _, err := fmt.Fprintln(world.stderr, mistake); err != nil {
			return err
		}
	}
	return service.Reject(fmt.Errorf("%s is not a valid clients file, mistakes: %d", c.File, len(mistakes)))
}
