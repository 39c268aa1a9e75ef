"""A sweep on the nodes of a SLURM cluster, by dask-jobqueue; the same command again goes on where it was stopped.

    pip install "gough[dask,parquet]" "dask-jobqueue>=0.8"
    python examples/design/sweep_slurm.py plan.toml out --jobs 20 --queue normal --account me

Run it where it may live long and needs little (a login node, or a small job of its own).  The plan, the files that it
names and the Python environment must lie on a disk that all nodes see.  Each job runs one worker a core; workers leave
a few minutes before their job's time is over, so that no span is cut off, and SLURM starts the jobs that are left.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from distributed import Client

from gough.cli.pace import told
from gough.design import read_sweep, sweep


def main() -> None:
    """Ask SLURM for workers and let them compute the plan."""
    from dask_jobqueue import SLURMCluster

    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("plan", type=Path, help="sweep file")
    words.add_argument("out", type=Path, help="folder for journal and tables")
    words.add_argument("--jobs", type=int, default=4, help="jobs to ask for")
    words.add_argument("--cores", type=int, default=16, help="of a job")
    words.add_argument("--memory", default="32 GiB", help="of a job")
    words.add_argument("--minutes", type=int, default=60, help="that a job may take")
    words.add_argument("--queue", help="SLURM partition")
    words.add_argument("--account", help="SLURM account")
    given = words.parse_args()
    plan = read_sweep(given.plan)
    leave = max(given.minutes - 5, 1)
    with (
        SLURMCluster(
            queue=given.queue,
            account=given.account,
            cores=given.cores,
            processes=given.cores,
            memory=given.memory,
            walltime=f"{given.minutes // 60:02d}:{given.minutes % 60:02d}:00",
            job_script_prologue=["export GOUGH_THREADS=1"],
            worker_extra_args=["--lifetime", f"{leave}m", "--lifetime-stagger", "2m"],
        ) as cluster,
        Client(cluster) as client,
        told("cases") as progress,
    ):
        cluster.scale(jobs=given.jobs)
        files = sweep(
            plan,
            given.out,
            resume=(given.out / "journal").exists(),
            executor="dask",
            client=client,
            formats=("parquet",),
            progress=progress,
        )
    for path in files:
        print(path)


if __name__ == "__main__":
    main()
