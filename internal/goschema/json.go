package goschema

import "encoding/json"

// quoted returns a string in JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
