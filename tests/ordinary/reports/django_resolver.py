"""Django ticket 26888: two threads fill the tables of one resolver, with one flag against recursion.

Versions: Django==1.10b1 pytz; Django==1.10 pytz

Names that Python 3.10 removed from `collections` are put back.
"""

import collections
import collections.abc
import threading

for name in ("Iterator", "Mapping", "Iterable"):
    setattr(collections, name, getattr(collections.abc, name))

from django.conf import settings  # noqa: E402
from django.urls.resolvers import RegexURLPattern, RegexURLResolver  # noqa: E402
from django.utils.translation import get_language  # noqa: E402

settings.configure(USE_I18N=False)
get_language()


def view(request):
    return None


def two_threads_reverse_a_name():
    """1.10b1: KeyError. 1.10: verified."""
    resolver = RegexURLResolver("^/", [RegexURLPattern("^a$", view, name="a")])
    other = threading.Thread(target=lambda: resolver.reverse_dict)
    other.start()
    assert "a" in resolver.reverse_dict
    other.join()
