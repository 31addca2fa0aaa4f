"""What the benchmarks of several processes share: MPI jobs on this machine, and results."""

import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORK = "12 inputs, 5x50 sigmoid, 1 output"
SWEEP = "every weight gets 5 iterations of L-BFGS: layer after layer in b2ld, all at once in lbfgs"


def program(build):
    path = pathlib.Path(build) / "bench" / "ranks.mpi"
    if not path.exists():
        raise SystemExit(f"{path} is not there: cmake --preset bench && cmake --build --preset bench")
    return path.resolve()


def run(*command, timeout):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def mpirun(ranks, *command, timeout=600):
    """Processes of one thread, each with a core of its own where there are as many."""
    return run("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "mpi_yield_when_idle", "1",
               "-n", ranks, *command, timeout=timeout)


def median_of(jobs, *path):
    """The median over jobs of one number inside each."""
    def inside(job):
        for key in path:
            job = job[key]
        return job
    return statistics.median(inside(job) for job in jobs)


def write(name, result):
    path = ROOT / "bench" / "results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
