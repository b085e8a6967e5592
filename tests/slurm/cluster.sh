#!/bin/bash
# A Slurm cluster of two nodes on 127.0.0.1, without systemd.
#
#   cluster.sh up DIR     starts it; SLURM_CONF is DIR/slurm.conf then
#   cluster.sh kill DIR NODE   kills the daemon of a node, and says it is down
#   cluster.sh down DIR   ends it; no daemon writes to DIR any more then
#
# As root, or as any user: then all daemons are that user's.
set -euo pipefail

DIR=$(realpath -m "$2")
NODES=(n1 n2)
export SLURM_CONF=$DIR/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

configure() {
  local user port=17001 node
  user=$(id -un)
  cat >"$SLURM_CONF" <<C
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$DIR/munge/socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=16817
SrunPortRange=16900-16999
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool/%n
SlurmctldPidFile=$DIR/slurmctld.pid
SlurmdPidFile=$DIR/slurmd-%n.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/slurmd-%n.log
C
  for node in "${NODES[@]}"; do
    mkdir -p "$DIR/spool/$node"
    echo "NodeName=$node NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port++)) CPUs=1 RealMemory=1000 State=UNKNOWN"
  done >>"$SLURM_CONF"
  echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$SLURM_CONF"
  # Slurm 22.05 does not support "disabled".
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=%s/cgroup\n' "$DIR" >"$DIR/cgroup.conf"
}

up() {
  local node
  mkdir -p "$DIR"/{munge,state,log}
  chmod 700 "$DIR/munge"
  head -c 1024 /dev/urandom >"$DIR/munge/key"
  chmod 400 "$DIR/munge/key"
  configure
  munged --force --key-file="$DIR/munge/key" --socket="$DIR/munge/socket" \
    --pid-file="$DIR/munge/pid" --log-file="$DIR/munge/log" \
    --seed-file="$DIR/munge/seed"
  slurmctld -f "$SLURM_CONF"
  for node in "${NODES[@]}"; do slurmd -f "$SLURM_CONF" -N "$node"; done
  for _ in $(seq 60); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "${#NODES[@]}" ] && return
    sleep 1
  done
  sinfo >&2
  tail "$DIR"/log/* >&2
  return 1
}

kill_node() {
  kill -9 "$(cat "$DIR/slurmd-$1.pid")"
  scontrol update NodeName="$1" State=DOWN Reason=killed
}

# Waits for the daemons, which save their state before they end.
down() {
  local file pid pids=()
  for file in "$DIR"/slurmd-*.pid "$DIR/slurmctld.pid" "$DIR/munge/pid"; do
    [ -s "$file" ] && pids+=("$(cat "$file")")
  done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || continue 2
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

case $1 in
  up) up ;;
  kill) kill_node "$3" ;;
  down) down ;;
  *) sed -n '2,9p' "$0" >&2; exit 2 ;;
esac
