package storetest

import (
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// anyAct is a row for writes whose audit row does not matter.
var anyAct = ports.AuditRow{At: kit.Epoch, Act: "test.write"}
