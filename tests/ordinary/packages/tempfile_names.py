"""tempfile: the names of temporary files.

Package: none
"""

import tempfile

import mcr


@mcr.program
def tempfile_names(p):
    """Two ask for the sequence of candidates, and get one.

    Verified
    """
    p.share(tempfile)
    one, two = p.thread(tempfile._get_candidate_names), p.thread(tempfile._get_candidate_names)

    @p.final
    def same():
        assert one.join() is two.join()
