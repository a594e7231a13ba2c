"""RF-SMC [bui-2021]: each reads-from class once, by mutating who reads from whom and asking if that is consistent."""
