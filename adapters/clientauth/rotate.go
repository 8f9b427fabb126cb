package clientauth

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

// Rotation describes a new secret of a client.
type Rotation struct {
	New    ports.ClientSecret
	EndOld time.Time // at which the other secrets end at the latest; the zero time leaves them as they are
	Now    time.Time // secrets that have expired are removed
}

// RotateFile adds a secret to a client of the clients file at path and returns the client's
// new entry. Everything else in the file keeps its text and its order. The file is replaced
// in one step: a reader finds the old file or the new one. The new one has the mode and the
// owner of the old one. A symbolic link stays, and its target is replaced.
//
// While it works, the file path.lock exists, and RotateFile returns an error if it exists
// already. So of two rotations at the same time, either both succeed or one fails; none is
// lost. It also returns an error, and changes nothing, if the file is invalid, if it does
// not contain the client, or if the client then has more than [MaxSecrets] secrets.
func RotateFile(path, id string, r *Rotation) (entry []byte, err error) {
	err = replace(path, func(file []byte) (edited []byte, err error) {
		edited, entry, err = rotate(file, id, r)
		return edited, err
	})
	return entry, err
}

// rotate returns the text of a clients file after a rotation, and the client's entry.
func rotate(file []byte, id string, r *Rotation) (edited, entry []byte, err error) {
	if !r.New.NotAfter.IsZero() && !r.New.NotAfter.After(r.Now) {
		return nil, nil, fmt.Errorf("the new secret must end in the future, not at %s", r.New.NotAfter.Format(time.RFC3339))
	}
	if _, mistakes := parseFile(file); len(mistakes) > 0 {
		return nil, nil, fmt.Errorf("the clients file is invalid: %w", summary(mistakes))
	}
	start, entry, err := find(file, id)
	if err != nil {
		return nil, nil, err
	}
	changed, err := r.client(entry)
	if err != nil {
		return nil, nil, err
	}
	edited = slices.Concat(file[:start], changed, file[start+len(entry):])
	if _, mistakes := parseFile(edited); len(mistakes) > 0 {
		return nil, nil, fmt.Errorf("the clients file would be invalid: %w", summary(mistakes))
	}
	var line bytes.Buffer
	err = json.Compact(&line, changed)
	return edited, line.Bytes(), err
}

// find returns the entry of a client in a valid file, and where it starts.
func find(file []byte, id string) (start int, entry json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(file))
	if _, err := d.Token(); err != nil {
		return 0, nil, err
	}
	for d.More() {
		if err := d.Decode(&entry); err != nil {
			return 0, nil, err
		}
		if c, _ := parseClient(entry); c.ID == id {
			return int(d.InputOffset()) - len(entry), entry, nil
		}
	}
	return 0, nil, errors.New("the clients file has no client with this id")
}

// client returns the client's entry with the new secret.
func (r *Rotation) client(entry []byte) ([]byte, error) {
	old, err := member(entry, "secrets")
	if err != nil {
		return nil, err
	}
	var secrets, kept []json.RawMessage
	if old != nil {
		if err := json.Unmarshal(old, &secrets); err != nil {
			return nil, err
		}
	}
	for _, s := range secrets {
		s, stays, err := r.secret(s)
		if err != nil {
			return nil, err
		}
		if stays {
			kept = append(kept, s)
		}
	}
	if len(kept) >= MaxSecrets {
		return nil, fmt.Errorf("the client has %d secrets that have not expired, and may have at most %d: end or remove one first", len(kept), MaxSecrets)
	}
	added, err := json.Marshal(fileSecret{hex.EncodeToString(r.New.SHA256[:]), utc(r.New.NotBefore), utc(r.New.NotAfter)})
	if err != nil {
		return nil, err
	}
	return setMember(entry, "secrets", list(old, append(kept, added)))
}

type fileSecret struct {
	SHA256    string    `json:"sha256"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	NotAfter  time.Time `json:"notAfter,omitzero"`
}

// secret returns an old secret that ends in time, and whether it can still be used.
func (r *Rotation) secret(text []byte) (edited []byte, stays bool, err error) {
	s, _ := parseSecret(text)
	if !r.EndOld.IsZero() && (s.NotAfter.IsZero() || s.NotAfter.After(r.EndOld)) {
		s.NotAfter = utc(r.EndOld)
		end, err := json.Marshal(s.NotAfter)
		if err != nil {
			return nil, false, err
		}
		if text, err = setMember(text, "notAfter", end); err != nil {
			return nil, false, err
		}
	}
	return text, s.NotAfter.IsZero() || s.NotAfter.After(r.Now) && s.NotAfter.After(s.NotBefore), nil
}

// utc returns the time as the file contains it.
func utc(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return ports.Millis(at).UTC()
}

// member returns the value of a member of a JSON object, or nil.
func member(object []byte, name string) ([]byte, error) {
	members, err := localfile.Members(object)
	for _, m := range members {
		if m.Key == name {
			return m.Value, err
		}
	}
	return nil, err
}

// setMember replaces the value of a member of a JSON object, or adds the member.
func setMember(object []byte, name string, value []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	end, comma := int(d.InputOffset()), ""
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var old json.RawMessage
		if err := d.Decode(&old); err != nil {
			return nil, err
		}
		end, comma = int(d.InputOffset()), ", "
		if key == name {
			return slices.Concat(object[:end-len(old)], value, object[end:]), nil
		}
	}
	return slices.Concat(object[:end], fmt.Appendf(nil, "%s%q: %s", comma, name, value), object[end:]), nil
}

// list returns a JSON list with the white space of the old list.
func list(old []byte, elements []json.RawMessage) []byte {
	const space = " \t\r\n"
	inner := bytes.TrimSuffix(bytes.TrimPrefix(old, []byte("[")), []byte("]"))
	before := inner[:len(inner)-len(bytes.TrimLeft(inner, space))]
	after := inner[len(bytes.TrimRight(inner, space)):]
	between := append([]byte(","), before...)
	if len(before) == 0 {
		between = []byte(", ")
	}
	all := make([][]byte, len(elements))
	for i, e := range elements {
		all[i] = e
	}
	return slices.Concat([]byte("["), before, bytes.Join(all, between), after, []byte("]"))
}
