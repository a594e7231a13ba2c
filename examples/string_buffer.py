"""StringBuffer of the JDK: its methods are synchronized, but append calls two methods of the other buffer."""

import mcr


class StringBuffer:
    def __init__(self, p, name, text):
        self.text, self.mutex = p.var(f"{name}.text", text), p.mutex(f"{name}.mutex")

    def length(self):
        with self.mutex:
            return len(self.text.load())

    def characters(self, count):
        """The first `count` characters; raises IndexError if there are fewer."""
        with self.mutex:
            text = self.text.load()
            return "".join(text[i] for i in range(count))

    def delete(self, start, end):
        with self.mutex:
            text = self.text.load()
            self.text.store(text[:start] + text[end:])

    def append(self, other):
        """As in the JDK: the other buffer may shrink between the two calls."""
        with self.mutex:
            count = other.length()
            self.text.store(self.text.load() + other.characters(count))

    def append_atomically(self, other):
        with self.mutex, other.mutex:
            self.text.store(self.text.load() + other.text.load())


def append_and_delete(p, append):
    """One thread appends a buffer to another one, while a second thread empties it."""
    hello, world = StringBuffer(p, "hello", "Hello"), StringBuffer(p, "world", "World")

    def clear():
        world.delete(0, world.length())

    p.thread(append, hello, world)
    p.thread(clear)

    @p.final
    def all_or_nothing():
        assert hello.text.load() in ("Hello", "HelloWorld")


@mcr.program
def string_buffer(p):
    """The second buffer is emptied between length and characters: an exception in thread code.

    Fails under: SC, TSO, PSO
    """
    append_and_delete(p, StringBuffer.append)


@mcr.program
def string_buffer_atomic(p):
    """append holds both mutexes until it has the characters.

    Fails under: nothing
    """
    append_and_delete(p, StringBuffer.append_atomically)
