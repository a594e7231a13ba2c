"""TruSt [kokologiannakis-2022]: every execution graph of a program, each once, in linear memory, without a solver."""
