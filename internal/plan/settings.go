package plan

import "fmt"

// Flag is a flag of kubegen. Without a Name, it is a constant with the value Default.
type Flag struct {
	Name, Default string
	Usage         string    // "" for a setting of other commands, for which kubegen has no flag
	Type          ValueType // of the flag; kubegen.yaml may have other forms
	Shown         string    // the default in the help; "" for Default
	Values        []string  // all values; nil for any
	InFile        bool      // it belongs into kubegen.yaml: the flag is accepted with a note, and not in the help
	// Mistake returns the mistake in the value of a flag that is a text, or nil. It may be nil.
	Mistake func(value string) error
}

// HeaderFlags returns the settings of a generator for the text above each of its manifests, see Target.Header. They are
// controller-gen's; kubegen has one file and one year for all generators, see ManifestHeader.
func HeaderFlags(generator string) []Flag {
	return []Flag{{Name: HeaderFlag(generator)}, {Name: YearFlag(generator)}}
}

// HeaderFlag and YearFlag return the names of these settings.
func HeaderFlag(generator string) string { return generator + "-header-file" }
func YearFlag(generator string) string   { return generator + "-year" }

// ManifestHeader is kubegen's flag for the header of all manifests.
const ManifestHeader = "manifest-header-file"

// Settings are the values of flags, in the form of the command line, by name. Flags that a command does not have are
// missing.
type Settings map[string]fmt.Stringer

// Literal is the value of a setting without a flag.
type Literal string

func (l Literal) String() string { return string(l) }

// Text returns a setting, or "" if it is missing.
func (s Settings) Text(name string) string {
	if value, ok := s[name]; ok {
		return value.String()
	}
	return ""
}

// Is reports whether a setting is true.
func (s Settings) Is(name string) bool { return s.Text(name) == "true" }

// List returns a setting of type ListsValue, or nil if it is missing.
func (s Settings) List(name string) []string {
	if list, ok := s[name].(interface{ GetSlice() []string }); ok {
		return list.GetSlice()
	}
	return nil
}
