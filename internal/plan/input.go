package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubegen/kubegen/internal/source/load"
)

// Maximum sizes in bytes of files named by flags. They protect against files such as /dev/zero.
const (
	maxConfiguration = 1 << 20
	maxHeader        = 1 << 20
)

// ManifestExtensions are the extensions of manifest files, as in kubectl apply -f.
var ManifestExtensions = []string{".yaml", ".yml", ".json"}

// ReadConfiguration reads kubegen.yaml in the directory of the current module or, outside a module, in the current
// directory. It returns the directory and the text, which is nil if there is no such file.
func ReadConfiguration(e load.Environment) (dir string, text []byte, err error) {
	dir, _, ok := e.FindModule(".")
	if !ok {
		dir = e.Dir
	}
	text, err = load.ReadNamed(filepath.Join(dir, ConfigName), maxConfiguration)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		const other = "kubegen.yml"
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil {
			return dir, nil, fmt.Errorf("configuration: %s is not read; rename it to %s", other, ConfigName)
		}
		return dir, nil, nil
	case err != nil:
		return dir, nil, fmt.Errorf("configuration: %w", err)
	}
	return dir, append([]byte{}, text...), nil
}
