"""Clausal proofs in the format LRAT, without RAT: each step a clause, and the numbers of those that show it."""

from __future__ import annotations

from pathlib import Path

from replay.certify.form import Rejected


def check_proof(clauses: list[list[int]], steps: list[tuple[list[int], list[int]]]) -> None:
    """Raises Rejected unless the steps show that the clauses, numbered from 1, have no solution."""
    known = [[0], *clauses]
    for number, (clause, hints) in enumerate(steps, len(known)):
        holds = {-literal for literal in clause}
        for hint in hints:
            left = {literal for literal in known[hint] if -literal not in holds}
            if not left:
                break
            if len(left) > 1 or hint < 1:
                raise Rejected(f"step {number} of the proof: clause {hint} says nothing there")
            holds |= left
        else:
            raise Rejected(f"step {number} of the proof is not shown")
        known.append(clause)
    if not steps or known[-1]:
        raise Rejected("the proof does not come to its end")


def write_proof(clauses: list[list[int]], steps: list[tuple[list[int], list[int]]], name: Path) -> None:
    """Write the clauses to NAME.cnf (DIMACS) and the steps to NAME.lrat, for other checkers of such proofs."""
    most = max(abs(literal) for clause in clauses for literal in clause)
    problem = [("p cnf", most, len(clauses)), *((*clause, 0) for clause in clauses)]
    proof = [(number, *clause, 0, *hints, 0) for number, (clause, hints) in enumerate(steps, len(clauses) + 1)]
    for end, lines in (("cnf", problem), ("lrat", proof)):
        Path(f"{name}.{end}").write_text("".join(" ".join(map(str, line)) + "\n" for line in lines))
