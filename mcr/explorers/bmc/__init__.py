"""Bounded model checking with partial orders [alglave-2013]: thread code on terms, the whole program as one formula."""
