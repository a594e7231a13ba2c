"""pluggy: PluginManager.

Package: pluggy==1.6.0
"""

import pluggy

import mcr


class Plugin:
    pass


@mcr.program
def pluggy_register(p):
    """One looks through the plugins while another thread registers one.

    Fails: RuntimeError
    """
    manager = p.share(pluggy.PluginManager("project"))

    def register(plugin):
        try:
            manager.register(plugin, "name")
        except ValueError:
            return False
        return True

    one, two = p.thread(register, Plugin()), p.thread(register, Plugin())

    @p.final
    def one_is_refused():
        assert one.join() + two.join() == 1
