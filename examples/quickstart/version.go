package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// configForm is the form of the config file that this program reads.
const configForm = 1

// sayVersion says which version this is, and which databases and config files are of it.
func sayVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "bonafide %s, schema %d, config file %d, %s\n", provider.Version(), sqlstore.SchemaVersion, configForm, runtime.Version())
	return err
}

// checkForm refuses a config file of another form. One that is no JSON is for others to refuse.
func checkForm(text []byte) error {
	var file struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &file); err == nil && file.Version != 0 && file.Version != configForm {
		return fmt.Errorf("version: is a config file of form %d, and this program reads form %d: run the program that it was written for", file.Version, configForm)
	}
	return nil
}
