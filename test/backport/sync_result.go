// Package backport has the code that --backport generates for releases of client-go without it. Go tools check it here,
// and the templates are derived from it.
package backport

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// SyncResult says which informers of a factory have synced.
type SyncResult struct {
	// Err is nil if all have, otherwise the reason why waiting ended.
	Err error

	// Synced has an entry for every informer that was waited for, by the type of its objects.
	Synced map[reflect.Type]bool
}

// AsError returns an error that names the types whose caches have not synced, or nil if all have.
func (r SyncResult) AsError() error {
	if r.Err == nil {
		return nil
	}
	var missing []string
	for objType, synced := range r.Synced {
		if !synced {
			missing = append(missing, objType.String())
		}
	}
	sort.Strings(missing)
	return fmt.Errorf("caches that are not full: %s: %w", strings.Join(missing, ", "), r.Err)
}
