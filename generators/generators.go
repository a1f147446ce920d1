// Package generators lists the families of generated packages; each is a package below this one.
package generators

import (
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/internal/render"
)

// All are the families, in the order in which they are generated and named.
var All = []*render.Family{applyconfiguration.Family, clientset.Family, lister.Family, informer.Family, deepcopy.Family, register.Family}
