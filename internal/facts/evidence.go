package facts

import (
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/evidence"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/model"
)

// withEvidence adds the capabilities shown by the source of client-go to the dependency that determines the release. It
// returns found unchanged if the release is known or the source is missing.
func (p *Facts) withEvidence(found model.Dependency) model.Dependency {
	clientGo, unknown := p.Modules.Unknown(found)
	if !unknown {
		return found
	}
	const machineryPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"
	p.Preload(machineryPackage)
	dirs := map[string]string{}
	for module, importPath := range map[string]string{gomod.ClientGo: gomod.ClientGoPackage, "k8s.io/apimachinery": machineryPackage} {
		src := p.Known[importPath]
		if src == nil {
			return found
		}
		root, ok := strings.CutSuffix(filepath.ToSlash(src.Dir()), strings.TrimPrefix(importPath, module))
		if !ok {
			return found
		}
		dirs[module] = filepath.FromSlash(root)
	}
	source := evidence.New(dirs)
	clientGo.Shown, clientGo.Missing = source.Shown(), source.Missing()
	return clientGo
}
