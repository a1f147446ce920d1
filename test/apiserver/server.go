package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// A server is an apiextensions-apiserver that is set up but may not run yet.
type server struct {
	dir     string // of the certificate and the token
	generic *genericapiserver.GenericAPIServer
	address string // host and port
	token   string
}

// grace is how long the server waits for watches when it stops, which would otherwise delay that for a minute.
const grace = 100 * time.Millisecond

// newServer sets up a server that stores its objects in the etcd at the address, and its certificate and token in dir.
// Users other than the administrator have the rules: the service account "limited", whose token is the administrator's
// and "-limited", and the ones that clients impersonate.
// Policies are applied to all requests.
func newServer(dir string, port int, etcd string, rules []rbacv1.PolicyRule, policies []runtime.Object) (*server, error) {
	token, err := readToken(filepath.Join(dir, "token"))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, address: listener.Addr().String(), token: token}
	if s.generic, err = newGenericServer(dir, listener, token, etcd, rules, policies); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

func newGenericServer(
	dir string, listener net.Listener, token, etcd string, rules []rbacv1.PolicyRule, policies []runtime.Object,
) (*genericapiserver.GenericAPIServer, error) {
	opts := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	opts.ServerRunOptions.ShutdownWatchTerminationGracePeriod = grace
	recommended := opts.RecommendedOptions
	recommended.Etcd.StorageConfig.Transport.ServerList = []string{"http://" + etcd}
	recommended.Etcd.StorageConfig.Prefix = "/registry" // as kube-apiserver has it
	// The server would remove the history of all objects after five minutes, and answer requests for old versions in
	// another way from then on. The command compact removes it when a test asks for that.
	recommended.Etcd.StorageConfig.CompactionInterval = 0
	recommended.SecureServing.Listener = listener
	recommended.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	recommended.SecureServing.ServerCert.CertDirectory = dir
	// These would delegate to a kube-apiserver, which does not exist here.
	recommended.Authentication, recommended.Authorization, recommended.CoreAPI, recommended.Admission = nil, nil, nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	if err := opts.Complete(); err != nil {
		return nil, err
	}
	if err := recommended.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, err
	}

	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	if err := opts.ServerRunOptions.ApplyTo(&config.Config); err != nil {
		return nil, err
	}
	if err := recommended.ApplyTo(config); err != nil {
		return nil, err
	}
	if err := opts.APIEnablement.ApplyTo(&config.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return nil, err
	}
	config.Authentication.Authenticator = authenticatorfactory.NewFromTokens(map[string]*user.DefaultInfo{
		token: {Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}},
		token + "-limited": {
			Name: serviceaccount.MakeUsername("system", "limited"), Groups: append(serviceaccount.MakeGroupNames("system"), user.AllAuthenticated),
		},
	}, nil)
	config.Authorization.Authorizer = newAuthorizer(rules)
	if err := admit(&config.Config, policies); err != nil {
		return nil, err
	}
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)

	crds, err := (&apiserver.Config{
		GenericConfig: config,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*recommended.Etcd, config.ResourceTransformers, config.StorageObjectCountTracker),
			ServiceResolver:      webhook.NewDefaultServiceResolver(),
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, nil),
		},
	}).Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	generic := crds.GenericAPIServer
	generic.ShutdownTimeout = grace
	// In a cluster, kube-aggregator in front of this server lists the groups.
	mux := generic.Handler.NonGoRestfulMux
	mux.Unregister("/apis")
	mux.Handle("/apis", aggregated.WrapAggregatedDiscoveryToHandler(
		generic.DiscoveryGroupManager, generic.AggregatedDiscoveryGroupManager, generic.PeerAggregatedDiscoveryManager))
	return generic, nil
}

// readToken returns the token in a file. If the file does not exist, it creates it with a random token.
func readToken(file string) (string, error) {
	token, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		token = []byte(rand.Text())
		err = os.WriteFile(file, token, 0o600)
	}
	return string(token), err
}

// run serves until ctx is done.
func (s *server) run(ctx context.Context) error {
	return s.generic.PrepareRun().RunWithContext(ctx)
}

// waitReady returns when all definitions that were in etcd at the start are served.
func (s *server) waitReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(s.loopback())
	if err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/readyz", nil)
		if err != nil {
			return false, err
		}
		response, err := client.Do(request)
		if err != nil {
			return false, nil // not listening yet
		}
		return response.StatusCode == http.StatusOK, response.Body.Close()
	})
}

func (s *server) url() string { return "https://" + s.address }

// loopback is the configuration with which the server connects to itself.
func (s *server) loopback() *rest.Config { return s.generic.LoopbackClientConfig }

// writeKubeconfig writes the kubeconfig for clients, with address, certificate and token, in one step.
func (s *server) writeKubeconfig(file string) error {
	ca, err := os.ReadFile(filepath.Join(s.dir, "apiserver.crt"))
	if err != nil {
		return err
	}
	const name = "apiserver"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: s.url(), CertificateAuthorityData: ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: s.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	config.CurrentContext = name
	content, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	unfinished := file + ".tmp"
	if err := os.WriteFile(unfinished, content, 0o600); err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	return os.Rename(unfinished, file)
}
