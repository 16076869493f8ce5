"""What workers do with a job in the tests of the search: the trial itself, or one that goes wrong on purpose."""

from __future__ import annotations

import os

from isamap_smt.tuning.trial import Job, Outcome, run_trial


def by_the_record(job: Job) -> Outcome:
    """A time that follows from the schedule alone: the same on every run."""
    steps = sum(x["step"] for x in job.record["loops"])
    return Outcome("ok", 1e-4 + 1e-6 * steps, 1e-4 + 1e-6 * steps, 5, 0)


def dies_unless_in_six_rows(job: Job) -> Outcome:
    """The process ends without a word, but for schedules in six rows."""
    if dict(map(tuple, job.record["registers"]))["i"] != 6:
        os._exit(11)
    return run_trial(job)
