"""What an exploration by maximal causality counts."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.exploration.verdict import Statistics


@dataclass
class MaximalStatistics(Statistics):
    """What is counted beside the figures that all explorations have.

    tried        questions to the solver: can this load read that value?
    satisfiable  those that it answered with a seed
    skipped      questions not asked, and seeds not run, as they could only have led to classes that were seen (4.6)
    overlooked   executions that no seed led to: the closing formula proposed them
    races        data races seen: pairs of program lines that access a location without order between them
    """

    tried: int = 0
    satisfiable: int = 0
    skipped: int = 0
    overlooked: int = 0
    races: int = 0
