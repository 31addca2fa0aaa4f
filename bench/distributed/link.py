"""Two network namespaces of this machine, joined by a link with a delay and a rate, and MPI jobs across it.

The link is two TUN devices, one in each namespace, and a process that carries packets from one to the other: it holds
each back for the time it takes at the rate, one after the other, and then for the delay. (A veth pair with tc's netem does
the same in the kernel; not every kernel has netem.) Needs root; nothing outside this machine is touched, and namespaces,
devices and process end with the `with` block.
"""

import collections
import fcntl
import os
import pathlib
import select
import signal
import struct
import subprocess
import tempfile
import time

ADDRESSES = ("10.77.0.1", "10.77.0.2")
NETWORK = "10.77.0.0/24"
# Messages of an evaluation are tens of kilobytes. In packets of the usual 1500 bytes the carrier would use more of the two
# cores than the ranks have left.
PACKET = 65000

# Starts what mpirun wants to run on another host in the namespace of that name. The host has a name of its own, so that
# Open MPI does not take the two for one machine.
AGENT = """#!/bin/sh
host=$1; shift
case $host in
{cases}
esac
exec ip netns exec "$namespace" unshare --uts sh -c "hostname $namespace; $*"
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def open_device(name):
    """A TUN device; packets that the kernel sends through it are read from the descriptor, and the other way round."""
    tunsetiff, tun, without_header = 0x400454CA, 0x0001, 0x1000
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, tunsetiff, struct.pack("16sH22x", name.encode(), tun | without_header))
    return descriptor


def carry(descriptors, delay, rate):
    """Moves packets both ways until it is killed."""
    # Ahead of the ranks, which keep both cores busy while they wait: otherwise packets would wait for a time slice.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    a, b = descriptors
    other = {a: b, b: a}
    free = {a: 0.0, b: 0.0}  # when the line that begins there has sent all it was given
    under_way = {a: collections.deque(), b: collections.deque()}  # (arrival, packet)
    while True:
        now = time.monotonic()
        for start, packets in under_way.items():
            while packets and packets[0][0] <= now:
                try:
                    os.write(other[start], packets.popleft()[1])
                except OSError:  # the device is down, or its queue full: lost, as on a real line
                    pass
        arrivals = [packets[0][0] for packets in under_way.values() if packets]
        wait = max(0.0, min(arrivals) - time.monotonic()) if arrivals else None
        for start in select.select(descriptors, [], [], wait)[0]:
            packet = os.read(start, PACKET + 100)
            free[start] = max(time.monotonic(), free[start]) + len(packet) * 8 / rate
            under_way[start].append((free[start] + delay, packet))


class Link:
    """with Link(delay=1e-3, rate=1e9) as link: link.mpirun(program, ...)"""

    def __init__(self, delay, rate):
        self.delay, self.rate = delay, rate
        self.namespaces = [f"strata-{os.getpid()}-{end}" for end in "ab"]
        self.devices = [f"st{os.getpid() % 10**7}{end}" for end in "ab"]
        self.descriptors = []
        self.carrier = None

    def __enter__(self):
        if os.geteuid() != 0:
            raise SystemExit("bench/distributed/link.py: network namespaces need root; run this benchmark as root")
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        for namespace, device, address in zip(self.namespaces, self.devices, ADDRESSES):
            run("ip", "netns", "add", namespace)
            self.descriptors.append(open_device(device))
            run("ip", "link", "set", device, "netns", namespace)
            run("ip", "-n", namespace, "link", "set", "lo", "up")
            run("ip", "-n", namespace, "addr", "add", f"{address}/24", "dev", device)
            run("ip", "-n", namespace, "link", "set", device, "up", "mtu", str(PACKET))
        self.carrier = os.fork()
        if self.carrier == 0:
            try:
                carry(self.descriptors, self.delay, self.rate)
            finally:
                os._exit(1)

    def __exit__(self, *_):
        if self.carrier:
            os.kill(self.carrier, signal.SIGKILL)
            os.waitpid(self.carrier, 0)
        for descriptor in self.descriptors:
            os.close(descriptor)
        for namespace in self.namespaces:  # its device goes with it
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)

    def mpirun(self, *program, timeout):
        """Runs a program as two processes, one in each namespace; what the first prints."""
        with tempfile.TemporaryDirectory() as folder:
            agent = pathlib.Path(folder) / "agent"
            cases = "\n".join(f"  {address}) namespace={namespace};;"
                              for address, namespace in zip(ADDRESSES, self.namespaces))
            agent.write_text(AGENT.format(cases=cases))
            agent.chmod(0o755)
            # Each namespace looks like a machine of its own: bound to a core, both processes would get the first one.
            command = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "--mca", "plm_rsh_agent", str(agent),
                       "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", NETWORK,
                       "--mca", "oob_tcp_if_include", NETWORK,
                       "--mca", "mpi_yield_when_idle", "1", "--host", ",".join(ADDRESSES), "-n", "2", *map(str, program)]
            inside = ["ip", "netns", "exec", self.namespaces[0], "unshare", "--uts", "sh", "-c",
                      f"hostname {self.namespaces[0]}; exec \"$@\"", "sh", *command]
            done = subprocess.run(inside, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"mpirun across the namespaces ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout
