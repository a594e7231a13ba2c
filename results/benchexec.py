"""Task definitions for BenchExec: the reference programs under each memory model, with the verdicts they must have.

    python -m results.benchexec FOLDER && benchexec FOLDER/reference.xml

The programs say themselves under which models they fail, and tests hold them to it. BenchExec finds the tool by
`tool="mcr.benchexec"`.
"""

from __future__ import annotations

import argparse
import inspect
import os
from pathlib import Path

from replay.files import write_atomically
from replay.frontend.program import Program
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from results.bench import ROOT

PROGRAMS = ROOT / "examples" / "reference.py"

_TASK = """\
format_version: "2.0"
input_files: "{file}"
properties:
  - property_file: no-failure.prp
    expected_verdict: {verdict}
options:
  program: {program}
  model: {model}
"""

_BENCHMARK = """\
<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN"
  "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="mcr.benchexec" timelimit="120 s" hardtimelimit="150 s" memlimit="4 GB">
  <rundefinition name="reference"/>
  <tasks name="reference">
    <includesfile>reference.set</includesfile>
    <propertyfile>no-failure.prp</propertyfile>
  </tasks>
  <columns>
    <column title="executions">executions</column>
    <column title="local states">local_states</column>
    <column title="global states">global_states</column>
  </columns>
</benchmark>
"""


def fails_under(program: Program) -> set[str]:
    """What the last line of its docstring says: "Fails under: TSO, PSO"."""
    said = inspect.cleandoc(program.__doc__ or "").splitlines()[-1].partition("Fails under: ")[2]
    return {name.strip() for name in said.lower().split(",")}


def write(folder: Path) -> int:
    """Write everything; returns how many tasks there are."""
    tasks = [(program, model) for program in programs_in(PROGRAMS) for model in MODELS]
    for program, model in tasks:
        text = _TASK.format(
            file=os.path.relpath(PROGRAMS, folder),
            verdict=str(model not in fails_under(program)).lower(),
            program=program.name,
            model=model,
        )
        write_atomically(folder / f"{program.name}-{model}.yml", text)
    names = sorted(f"{program.name}-{model}.yml\n" for program, model in tasks)
    write_atomically(folder / "reference.set", "".join(names))
    write_atomically(folder / "no-failure.prp", "No execution fails, and no threads wait for ever.\n")
    write_atomically(folder / "reference.xml", _BENCHMARK)
    return len(tasks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    print(f"{write(parser.parse_args().folder)} tasks")
