#!/bin/bash
# The first process of a node: a machine of its own file system, groups, devices and processes. SIGKILL from outside is its power cut:
# the kernel ends everything in it at once. Its environment says which node it is; only DISK outlives it.
set -eu
hostname "$NODE"

# Its file system: what all nodes share, with what this one changes on top; its groups look like those of a whole machine.
mkdir -p "$DISK"/{root,changes,work,lib,log}
mount -t overlay -o "lowerdir=$SYSTEM,upperdir=$DISK/changes,workdir=$DISK/work" overlay "$DISK/root"
cd "$DISK/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
for group in $CGROUPS; do
  mkdir "sys/fs/cgroup/${group%%:*}"
  mount -t cgroup -o "${group#*:}" cgroup "sys/fs/cgroup/${group%%:*}"
done
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount --bind "$DISK/lib" var/lib
mount --bind "$DISK/log" var/log
mount --bind "$DISK/etc" etc/cluster
mount --bind "$PROGRAMS" opt/cluster
mount --bind "$SHARED" shared
pivot_root . old
cd /
hash -r
umount -l /old
mount --make-rshared /

supervise() { # NAME COMMAND...: what ends is started again, as an init does
  local name=$1
  shift
  while :; do
    "$@" >>"/var/log/$name.log" 2>&1 || :
    sleep 1
  done
}
export PATH=/opt/cluster:/usr/sbin:/usr/bin HOME=/root
supervise containerd containerd --config /etc/cluster/containerd.toml &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.05; done
supervise kubelet kube kubelet --config=/etc/cluster/kubelet.json --kubeconfig=/etc/cluster/kubeconfig --hostname-override="$NODE" \
  --node-ip="$ADDRESS" --node-labels="topology.kubernetes.io/zone=$ZONE" --v=1 &
supervise proxy kube kube-proxy --config=/etc/cluster/proxy.json --v=1 &
while :; do wait || :; done
