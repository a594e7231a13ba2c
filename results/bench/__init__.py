"""Measurements: suites of programs, each run in a process of its own, and the tables and plots made of them.

suites/       what is measured, one file per suite
fenced        what it is measured on, beside the examples
peers.json    what other tools need for the same programs
case          one measurement, as data
measure       takes it, in the process of the worker; `process` starts and, if need be, ends that
sampling, costs, cover: where time goes, how it grows, and how few executions would do
rows          what was measured, on disk as soon as it is known
comparison    ours beside the peers'
figures       plots as data; `drawing` draws them
run           all of it, for `python -m results.bench`
"""
