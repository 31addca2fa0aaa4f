"""Training in several processes with an mpi4py communicator: the bits of one, and an end for all when one fails."""

import importlib.util
import json
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import strata

# Looked for, not imported: MPI would start in this process, and mpirun refuses to be launched by a part of a job.
pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None or importlib.util.find_spec("mpi4py") is None,
                                reason="needs mpirun and mpi4py")

SCRIPT = ROOT / "python/tests/processes.py"


def launch(processes, directory, *cases):
    """What was printed, and the answers of the processes, by rank. A job that hangs fails the test."""
    directory.mkdir(exist_ok=True)
    command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl_vader_single_copy_mechanism", "none",
               "-n", str(processes), sys.executable, str(SCRIPT), str(directory), *cases]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    answers = [json.loads((directory / f"{rank}.json").read_text()) for rank in range(processes)
               if (directory / f"{rank}.json").exists()]
    return done, answers


def test_any_number_of_processes_gives_the_bits_of_one(tmp_path):
    expected = None
    for processes in (1, 2, 3):
        done, answers = launch(processes, tmp_path / str(processes), "numbers", "weights", "table", "partial_fit", "train")
        assert done.returncode == 0, done.stderr
        assert [answer.pop("size") for answer in answers] == [processes] * processes
        for answer in answers:
            assert [learnt.pop("processes", processes) for learnt in answer.values()] == [processes] * len(answer)
        expected = expected or answers[0]
        for case in expected:
            assert [answer[case] for answer in answers] == [expected[case]] * processes, case


def test_a_communicator_of_one_process_is_that_process_alone(tmp_path):
    done, answers = launch(2, tmp_path, "alone")
    assert done.returncode == 0, done.stderr
    assert [answer["size"] for answer in answers] == [2, 2]
    assert [answer["alone"]["processes"] for answer in answers] == [1, 1]
    assert answers[0] == answers[1]


def test_a_mistake_is_raised_by_all_and_the_job_goes_on(tmp_path):
    done, answers = launch(2, tmp_path, "bad_row", "other_options", "method", "callback", "leaves", "numbers")
    assert done.returncode == 0, done.stderr
    first, second = answers
    assert second["bad_row"].startswith("ValueError: X[779, 0] is NaN; fill it in")
    assert first["bad_row"].startswith("RuntimeError: process 1 of 2 has failed; ValueError: X[779, 0] is NaN")
    assert first["other_options"].startswith("ValueError: option 'hidden': (6, 5) in process 0 and (6, 6) in process 1; give")
    assert second["other_options"] == first["other_options"]
    assert first["method"].startswith("ValueError: option 'method' = 'none'") and second["method"] == first["method"]
    assert first["callback"] == "KeyError: 'no more'"
    assert second["callback"] == "RuntimeError: process 0 of 2 has failed; KeyError: 'no more'"
    assert second["leaves"] == "SystemExit: enough"
    assert first["leaves"] == "RuntimeError: process 1 of 2 has failed; SystemExit: enough"
    assert first["numbers"] == second["numbers"]


def test_a_mistake_that_one_finds_while_others_wait_ends_the_job(tmp_path):
    done, answers = launch(2, tmp_path, "missing_text")
    assert done.returncode != 0 and not answers
    assert "has no value; fill it in" in done.stderr
    assert "process 1 of 2 failed and ends the others" in done.stderr


@pytest.mark.parametrize("comm", ["world", 4, object])
def test_what_is_no_communicator_is_refused_in_a_sentence(comm, friedman, quick):
    X, y = friedman
    with pytest.raises(TypeError, match="^option 'comm' = .*: use an mpi4py communicator"):
        quick().fit(X, y, comm=comm)
    network = strata.Network(5, [3])
    with pytest.raises(TypeError, match="^option 'comm' = "):
        strata.train(network, X, y, strata.schemes.preset("lbfgs", 2), comm=comm)
