// Package generators lists the generators. Each one is a package below this one.
package generators

import (
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/chart"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/conversion"
	"github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/defaulter"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/install"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/openapi"
	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/generators/reference"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/generators/userroles"
	"github.com/kubegen/kubegen/generators/webhook"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
)

// All lists the generators in the order of execution and of messages to users.
var All = []render.Generator{
	applyconfiguration.Generator{}, clientset.Generator{}, lister.Generator{}, informer.Generator{},
	deepcopy.Generator{}, register.Generator{}, conversion.Generator{}, defaulter.Generator{},
	crd.Generator{}, install.Generator{}, rbac.Generator{}, webhook.Generator{}, schemapatch.Generator{}, userroles.Generator{},
	chart.Generator{}, reference.Generator{}, openapi.Generator{}, openapi.Documents{},
}

// Infos returns the properties of all generators, in the same order.
func Infos() (all []*plan.Info) {
	for _, g := range All {
		all = append(all, g.Info())
	}
	return all
}
