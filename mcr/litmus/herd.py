"""A report as herd7 prints it, so that scripts made for herd go on working.

Two differences: herd counts executions where we count states, so that only
zero and non-zero of the two figures can be compared; and there is no hash.
"""

from __future__ import annotations

from mcr.litmus.run import Report


def herd_text(report: Report, *, name_model: bool = False) -> str:
    """The lines for one test, a blank one last. With `name_model`, "Model tso" stands above them."""
    name = report.name
    positive, negative = report.positive, report.negative
    lines = [f"Model {report.model}"] if name_model else []
    lines += [f"Test {name} {report.kind}", f"States {len(report.states)}"]
    lines += [f"{state};" if state else "" for state in report.states]
    lines += [f"{'Incomplete ' if report.incomplete else ''}{'Ok' if report.ok else 'No'}", "Witnesses"]
    if report.kind == "Forbidden":  # herd: witnesses are what the claim is about, here their absence
        lines.append(f"Positive: {negative} Negative: {positive}")
    else:
        lines.append(f"Positive: {positive} Negative: {negative}")
    lines.append(f"Condition {report.condition}")
    lines.append(f"Observation {name} {report.verdict} {positive} {negative}")
    lines.append(f"Time {name} {report.seconds:.2f}")
    return "\n".join([*lines, "", ""])
