"""What ordinary classes share that memory did not hold is a bug, or refused; what is right stays *verified*."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import unseen

EXPECTED = {
    "abc_register_one": "refused",
    "defaultdict_class_two": "bug",
    "dict_of_attributes_dumps": "verified",
    "dict_of_attributes_merge": "verified",
    "dict_of_attributes_snapshot": "verified",
    "dir_and_maketrans_attributes": "bug",
    "dir_and_maketrans_table": "refused",
    "dunder_attribute_one": "bug",
    "exception_loses_cause": "verified",
    "exception_loses_code": "verified",
    "exception_loses_filename": "verified",
    "exception_loses_value": "verified",
    "executor_not_shut_down_one": "refused",
    "function_attribute_function": "bug",
    "function_attribute_partial": "bug",
    "get_default_one": "bug",
    "identity_of_lambdas_exceptions": "bug",
    "identity_of_lambdas_one": "bug",
    "identity_of_lambdas_two": "bug",
    "lru_cache_race_two": "refused",
    "recursive_closure_one": "verified",
    "stored_again_one_thread": "verified",
    "weakkey_descriptor_one": "bug",
    "weakkey_descriptor_side_table": "bug",
    "weakkey_descriptor_two": "bug",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_as_python_has_it(name: str) -> None:
    program = getattr(unseen, name)
    if EXPECTED[name] == "refused":
        with pytest.raises(mcr.ModelError) as raised:
            mcr.check(program)
        assert "tests/ordinary/unseen.py:" in raised.value.where
    else:
        assert mcr.check(program).verdict.value == EXPECTED[name]
