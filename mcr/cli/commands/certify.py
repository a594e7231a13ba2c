"""Check certificates that `mcr check --certificate` wrote. The checker of certificates runs thread code once for each
step of a thread, and shares nothing else with the explorers that found the proof (docs/certificates.md).

The files of the programs are imported, and their code is run.

examples:
  mcr check peterson.py --certificate proofs
  mcr certify proofs/*.certificate
  mcr certify proofs/peterson-tso.certificate --program other/peterson.py
  mcr certify proofs/peterson-tso.certificate --cpython

Here exit status 1 means that one was rejected.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_options
from mcr.cli.status import Status
from replay.certify.certify import TRUSTED, confirm, program_of, read
from replay.certify.form import Rejected


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="what `mcr check --certificate` wrote")
    proof = "also write the clauses and the steps of clausal proofs, to FILE.cnf and FILE.lrat for other checkers"
    cpython = "also run the code of each step by CPython, in threads (plain models)"
    add_options(parser, {"--program FILE.py": "where the program is now", "--proof": proof, "--cpython": cpython})


def run(arguments: argparse.Namespace) -> Status:
    status = Status.VERIFIED
    print(f"{TRUSTED}.")
    for file in arguments.files:
        try:
            said = read(file)
            program = program_of(said, file, arguments.program)
            proof = file if arguments.proof else None
            print(f"{file}: confirmed: {confirm(said, program, proof, cpython=arguments.cpython)}")
        except Rejected as wrong:
            print(f"{file}: rejected: {wrong}")
            status = Status.BUG
    return status
