package report

import (
	"encoding/json"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// ManifestSchema is the version of the manifest's format.
const ManifestSchema = "corridor.report/1"

// Manifest describes a report's file and is stored beside it. Manifest.File is the name
// of the stored file, such as report.csv. A downloaded file is named [File].Name, which
// differs between reports.
type Manifest struct {
	Schema      string           `json:"schema"`
	ID          string           `json:"id"`
	Type        ports.ReportKind `json:"type"`
	Name        string           `json:"name"`
	MerchantID  string           `json:"merchantId"`
	From        string           `json:"from"`  // inclusive
	Until       string           `json:"until"` // exclusive
	TimeZone    string           `json:"timeZone"`
	Filters     []ports.Filter   `json:"filters,omitempty"`
	AsOf        string           `json:"dataAsOf"`
	GeneratedAt string           `json:"generatedAt"`
	File        string           `json:"file"`
	Format      string           `json:"format"`
	ContentType string           `json:"contentType"`
	Rows        int64            `json:"rows"`
	Bytes       int64            `json:"bytes"`
	SHA256      string           `json:"sha256"`
	Columns     []ManifestColumn `json:"columns"`
}

// ManifestColumn describes a column.
type ManifestColumn struct {
	Name     string           `json:"name"`
	Type     ports.ColumnType `json:"type"`
	Unit     string           `json:"unit,omitempty"`
	Currency string           `json:"currencyColumn,omitempty"`
	Meaning  string           `json:"meaning,omitempty"`
}

// units maps column types to the units of their values.
var units = map[ports.ColumnType]string{
	ports.ColumnText: "", ports.ColumnInteger: "", ports.ColumnMoney: "major units, decimal text",
	ports.ColumnTime: "RFC 3339, UTC, milliseconds",
}

// manifest returns the manifest of what an attempt has written.
func (s *Service) manifest(rec *ports.ReportJob, c content, m *made) ([]byte, error) {
	r := &rec.Request
	out := Manifest{
		Schema: ManifestSchema, ID: rec.ID, Type: rec.Kind, Name: r.Name, MerchantID: r.MerchantID,
		From: ports.FormatTime(r.From), Until: ports.FormatTime(r.Until()), TimeZone: "UTC",
		Filters: r.Filters, AsOf: ports.FormatTime(m.asOf), GeneratedAt: ports.FormatTime(s.cfg.Clock.Now()),
		File: "report." + r.Format, Format: r.Format, ContentType: s.writers[r.Format].ContentType(),
		Rows: m.rows, Bytes: m.size, SHA256: m.sha256, Columns: make([]ManifestColumn, 0, len(c.columns)),
	}
	for _, column := range c.columns {
		out.Columns = append(out.Columns, ManifestColumn{
			column.Name, column.Type, units[column.Type], column.Currency, column.Meaning,
		})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, errcodes.Wrap(errcodes.Internal, "", err)
	}
	return append(text, '\n'), nil
}
