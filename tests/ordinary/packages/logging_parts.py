"""logging: handlers, and who makes a logger.

Package: none
"""

import logging

import mcr


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.kept = []

    def emit(self, record):
        self.kept = [*self.kept, record.msg]


@mcr.program
def logging_handler(p):
    """A handler emits one record at a time.

    Verified
    """
    handler = p.share(Kept())

    def tell(text):
        handler.handle(logging.LogRecord("name", logging.INFO, "file", 1, text, (), None))

    p.thread(tell, "one")
    p.thread(tell, "two")

    @p.final
    def both():
        assert len(handler.kept) == 2


class Stream:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text


@mcr.program
def logging_stream(p):
    """A handler writes one record at a time.

    Verified
    """
    stream = p.share(Stream())
    handler = p.share(logging.StreamHandler(stream))

    def tell(text):
        handler.handle(logging.LogRecord("name", logging.INFO, "file", 1, text, (), None))

    p.thread(tell, "one")
    p.thread(tell, "two")

    @p.final
    def both():
        assert sorted(stream.text.split()) == ["one", "two"]


@mcr.program
def logging_get_logger(p):
    """Two ask for a logger of one name, and get one.

    Verified
    """
    manager = p.share(logging.Manager(logging.RootLogger(logging.WARNING)))
    one, two = p.thread(manager.getLogger, "a.b"), p.thread(manager.getLogger, "a.b")

    @p.final
    def same():
        assert one.join() is two.join()
