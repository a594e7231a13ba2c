"""Litmus tests: the format of herd7 and diy7, read, run, generated and written.

    from mcr.litmus.parser import parse_file
    from mcr.litmus.run import run

    report = run(parse_file(Path("SB.litmus")), "tso")
    report.states     # ('0:EAX=0; 1:EAX=0', ...): exactly those that the model allows

From text to states: `syntax` cuts a file and parses its sections by the grammar in `litmus.lark`; `state`, `c_threads`
and `x86_syntax` read the trees; `x86` and `c_atomics` say what instructions do in the small language of `code`,
`emit_python` says it in Python, `program` runs that, and `run` explores it.
"""
