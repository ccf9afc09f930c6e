// Everything a cluster runs, in one program: its first argument names the part, as does the name it is called by.
//
// Why one: the parts share nearly all their code, so it is compiled, linked and kept once instead of seven times.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var daemons = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-proxy":              proxy.NewProxyCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
}

func main() {
	part := filepath.Base(os.Args[0])
	if !known(part) && len(os.Args) > 1 {
		part = os.Args[1]
		os.Args = os.Args[1:] // the parts find their own name first
	}
	switch start, daemon := daemons[part]; {
	case part == "etcd":
		etcdmain.Main(os.Args)
	case part == "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	case daemon:
		os.Exit(cli.Run(start()))
	default:
		fmt.Fprintf(os.Stderr, "kube: no part %q; there are etcd, kubectl, kubelet, kube-apiserver, kube-controller-manager, kube-proxy, kube-scheduler\n", part)
		os.Exit(2)
	}
}

func known(part string) bool {
	_, daemon := daemons[part]
	return daemon || part == "etcd" || part == "kubectl"
}
