package cmd

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// process is a corridor serve in its own process, with acme logged in.
type process struct {
	*running

	cmd  *exec.Cmd
	gone chan error
}

// launch starts the command on a store.
func launch(t *testing.T, clients, store string, env ...string) *process {
	t.Helper()
	p := started(t, exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--sandbox",
		"--clients-file", clients, "--store", store, "--log-level", "DEBUG"), env...)
	require.Equal(t, http.StatusOK, p.login("acme", acmeSecret), p.log)
	return p
}

// started starts a program that becomes the command, and waits until that listens.
func started(t *testing.T, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	p := &process{
		running: &running{t: t, out: &screen{}, log: &screen{}, turn: newTurns()},
		cmd:     cmd, gone: make(chan error, 1),
	}
	// A busy machine may need longer than the default to restart a process and resume what it has left.
	p.cmd.Env = append(append(os.Environ(), runEnv+"=1", "CORRIDOR_VALIDATION_TIMEOUT=10m"), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.log
	require.NoError(t, p.cmd.Start())
	go func() { p.gone <- p.cmd.Wait(); close(p.gone) }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = await(t, "end of the process", p.gone)
	})
	p.eventually(func() bool {
		require.Empty(t, p.gone, "it has ended: %s", p.log)
		return p.hear() == 1
	}, "not listening")
	return p
}

// end sends a signal and waits for the process.
func (p *process) end(signal os.Signal) error {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(signal))
	return await(p.t, "end of the process", p.gone)
}

const (
	oneKey     = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	anotherKey = "k2:HxAREhMUFRYXGBkaGxwdHh8AAQIDBAUGBwgJCgsMDQ4="
	keysEnv    = dataKeysEnv + "="
)

// A pending validation ends after the next start, however its process ended (I17).
func TestAPendingValidationSurvivesItsProcess(t *testing.T) {
	t.Parallel()
	mismatch := map[string]any{
		"status": "name_mismatch", "provider": "sandbox", "accountHolderName": holder, "validationType": "external",
		"failureReason": "The provider returned a different name",
	}
	for _, c := range []struct {
		name          string
		signal        os.Signal
		before, after string // CORRIDOR_DATA_KEYS
	}{
		{"killed, with the store's own key", syscall.SIGKILL, "", ""},
		{"killed, the keys rotated", syscall.SIGKILL, oneKey, anotherKey + "," + oneKey},
		{"stopped", syscall.SIGTERM, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clients, path := clientsFile(t), emptyStore(t)
			first := launch(t, clients, "sqlite:"+path, keysEnv+c.before)
			account, pending := first.pending(nigeria, "Kofi Boateng")
			err := first.end(c.signal)
			if c.signal == syscall.SIGTERM {
				require.NoError(t, err, first.log)
			} else {
				require.Error(t, err, "killed")
			}

			second := launch(t, clients, "sqlite:"+path, keysEnv+c.after)
			ended := second.ended(pending["id"])
			requireResult(t, ended, true, mismatch)
			require.NoError(t, second.end(syscall.SIGTERM), second.log)
			requireUntold(t, first.log.String()+second.log.String()+first.out.String()+second.out.String(),
				account.AccountIdentifier, "Kofi", "Boateng", "Serwaa", oneKey[3:], anotherKey[3:])
		})
	}
}

// This holds while a validation is pending and after it has ended. The test reads the
// store's files directly.
func TestNothingPersonalIsLoggedOrStored(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	p := launch(t, clientsFile(t), "sqlite:"+path, keysEnv+oneKey)
	personal := []string{"Zenzile", "Canaryholder", "Serwaa", "Mensah"}
	look := func() {
		t.Helper()
		var text strings.Builder
		text.WriteString(p.log.String() + p.out.String())
		for _, suffix := range []string{"", "-wal", "-shm"} {
			data, err := os.ReadFile(path + suffix)
			if suffix != "" && os.IsNotExist(err) {
				continue
			}
			require.NoError(t, err)
			require.NotEmpty(t, data)
			text.Write(data)
		}
		require.Contains(t, text.String(), "CREATE TABLE validations", "the file was read")
		requireUntold(t, text.String(), personal...)
	}
	for _, m := range []testMarket{nigeria, egypt, kenyaMobile} {
		for _, end := range []string{"0000", "0001", "0004", "8173"} {
			a := m.asking(end).named("Zenzile Canaryholder")
			personal = append(personal, a.AccountIdentifier)
			p.validate(a)
		}
	}
	status, _ := p.ask(nigeria.asking("8173").named("Zenzile\x01 Canaryholder"))
	require.Equal(t, http.StatusBadRequest, status)
	slow, pending := p.pending(nigeria, "Zenzile Canaryholder")
	personal = append(personal, slow.AccountIdentifier)
	look()
	require.Equal(t, "name_mismatch", p.ended(pending["id"])["status"])
	require.Contains(t, p.log.String(), "level=DEBUG", "the log is as talkative as it can be")
	look()
	require.NoError(t, p.end(syscall.SIGTERM))
	look()
	require.NotContains(t, p.log.String(), "level=ERROR")
}
