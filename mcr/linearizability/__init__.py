"""Linearizability: can an order of the calls of a class, made by several threads, explain their results?"""
