#!/usr/bin/env bats
# share/launch by what it is for: Open MPI, GNU parallel over ssh, Slurm. Each on this machine, with daemons of its own
# on ports that are free. Part of check-long: daemons take their time.

setup() {
    load lib/common.bash
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PATH:/usr/sbin:/sbin
    launch=$top_srcdir/share/launch
    export DSGD_HOST=127.0.0.1
    mkdir -m 0700 run
    dsgd-shard -q -n 3 "$top_srcdir/share/data/digits-train.csv.gz" --no-header --label-column 65
    cd run || return
}

teardown() {
    if [ -f ../slurm.conf ]; then
        SLURM_CONF=$BATS_TEST_TMPDIR/slurm.conf timeout 20 scontrol shutdown || true
    fi
    leave_nothing
}

needs() {
    local program
    for program; do
        command -v "$program" > /dev/null || skip "no $program"
    done
}

# N ports of 127.0.0.1 that nobody has.
free_ports() {
    python3 -c '
import socket, sys
all = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in all: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in all))' "$1"
}

# The run was made by three workers, once or in parts, and its trace is the run.
is_whole() {
    dsgd-sim -q --replay run.trace -o again ../shard-0 ../shard-1 ../shard-2
    cmp model again
    assert_equal "$(awk -F '\t' '$2 == "join" { print $3 }' run.trace | sort -u | wc -l)" 3
}

@test "mpi: a run as a job of Open MPI, that goes on when it is started again" {
    needs mpirun
    export MPIRUN='--oversubscribe'
    [ "$(id -u)" -ne 0 ] || MPIRUN="$MPIRUN --allow-run-as-root"
    "$launch/mpi" 3 '../shard-%r' -- -m softmax -e 0.01 -J 20 3>&-
    [ -s model ]
    run -0 "$launch/mpi" 3 '../shard-%r' -- -m softmax -e 0.01 -J 30 3>&-
    assert_output --partial 'goes on after update 20'
    is_whole
}

@test "ssh-parallel: workers on two hosts, by GNU parallel over ssh" {
    needs sshd ssh ssh-keygen parallel python3
    [ "$(id -u)" -eq 0 ] || skip 'sshd wants root'
    read -r port < <(free_ports 1)
    ssh-keygen -q -t ed25519 -N '' -f ../host
    ssh-keygen -q -t ed25519 -N '' -f ../user
    cat > ../sshd.conf <<C
Port $port
ListenAddress 127.0.0.1
HostKey $BATS_TEST_TMPDIR/host
AuthorizedKeysFile $BATS_TEST_TMPDIR/user.pub
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
StrictModes no
C
    cat > ../ssh.conf <<C
Host alpha beta
    HostName 127.0.0.1
    HostKeyAlias here
    Port $port
    IdentityFile $BATS_TEST_TMPDIR/user
    UserKnownHostsFile $BATS_TEST_TMPDIR/known
    StrictHostKeyChecking accept-new
    LogLevel ERROR
C
    mkdir -p /run/sshd
    background sshd "$(command -v sshd)" -D -e -f ../sshd.conf
    export SSH="ssh -F $BATS_TEST_TMPDIR/ssh.conf" DSGD_PATH=$top_builddir/bin
    eventually $SSH alpha true
    timeout 100 "$launch/ssh-parallel" 3 alpha,beta "$BATS_TEST_TMPDIR/shard-%r" -- -m softmax -e 0.01 -J 20 3>&-
    unset OPENBLAS_CORETYPE # as it is over there
    is_whole
}

# A cluster of four nodes, all here; configured in slurm.conf.
slurm() {
    local ports
    needs slurmctld slurmd srun sbatch munged python3
    [ "$(id -u)" -eq 0 ] || skip 'slurmd wants root'
    read -r -a ports < <(free_ports 5)
    cd .. || return
    dd if=/dev/urandom of=munge.key bs=1 count=128 2> /dev/null
    chmod 0400 munge.key
    background munged munged --force --foreground --key-file "$PWD/munge.key" --socket "$PWD/munge.sock" \
        --pid-file "$PWD/munge.pid" --log-file "$PWD/munge.log" --seed-file "$PWD/munge.seed"
    eventually test -S munge.sock
    echo CgroupPlugin=cgroup/v1 > cgroup.conf
    mkdir state
    cat > slurm.conf <<C
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.sock,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1,sched_interval=1
StateSaveLocation=$PWD/state
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.%n.pid
SlurmdSpoolDir=$PWD/spool.%n
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.%n.log
ReturnToService=2
KillWait=5
C
    for i in 1 2 3 4; do
        echo "NodeName=n$i NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=1" >> slurm.conf
    done
    echo 'PartitionName=main Nodes=ALL Default=YES State=UP' >> slurm.conf
    export SLURM_CONF=$PWD/slurm.conf
    background slurmctld slurmctld -D -i
    for i in 1 2 3 4; do
        mkdir -p "spool.n$i"
        background "slurmd.n$i" slurmd -D -N "n$i"
    done
    idle() {
        [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 4 ]
    }
    eventually -s 60 idle
    cd run || return
}

@test "slurm-srun: the server and three workers on four nodes" {
    slurm
    timeout 100 "$launch/slurm-srun" 3 '../shard-%r' -- -m softmax -e 0.01 -J 20 3>&-
    is_whole
}

@test "slurm.sbatch: a job that is requeued goes on from its checkpoint" {
    slurm
    export DSGD_TASK=$launch/task
    job=$(sbatch --parsable --ntasks=4 -N 4 --output=log "$launch/slurm.sbatch" '../shard-%r' -- \
        -m softmax -e 0.01 -p k-async:2 -J 100k --checkpoint-every 20)
    saved() {
        [ -s state ]
    }
    eventually -s 60 saved
    scontrol requeue "$job"
    goes_on() {
        grep -q 'goes on after update' log && grep -q 'resumed' run.trace
    }
    eventually -s 120 goes_on
    state() {
        [[ $(scontrol show job "$job") == *JobState=$1* ]]
    }
    eventually state RUNNING
    # The end is another one now; a job that is cancelled ends in order.
    scancel -s TERM "$job"
    ended() {
        ! state RUNNING
    }
    eventually -s 60 ended
    DSGD_WORKER='' timeout 100 "$launch/slurm-srun" 3 '../shard-%r' -- -m softmax -e 0.01 \
        -J $(($(grep -o 'goes on after update [0-9]*' log | tail -n 1 | grep -o '[0-9]*$') + 5000)) 3>&-
    is_whole
}
