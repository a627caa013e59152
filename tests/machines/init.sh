#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: Apache-2.0
# The first process of the guest that machine.bats starts: runs each line of /commands, which is a name and a
# command, and leaves what it says and its status on the disk, as NAME.out, NAME.err and NAME.status.
# Below /var recorders keep what recording costs, which is measured once.
/bin/busybox mkdir -p /bin /applets /proc /sys /dev /tmp /disk /var/cache
/bin/busybox --install -s /applets
/bin/busybox ln -s busybox /bin/sh
export PATH=/bin:/usr/bin:/applets HOME=/tmp LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
chmod 1777 /tmp
while [ ! -b /dev/nvme0n1 ]; do sleep 0.1; done
mount -t ext4 /dev/nvme0n1 /disk && cd /disk/out || poweroff -f
while read -r name command; do
	echo "$name"
	sh -c "$command" >"$name.out" 2>"$name.err" </dev/null
	echo $? >"$name.status"
done </commands
cd /
umount /disk
poweroff -f
