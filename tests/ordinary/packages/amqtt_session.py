"""amqtt: numbers of packets (frontrun's case study 9).

Package: amqtt==0.11.3
"""

from amqtt.session import Session

import mcr


@mcr.program
def amqtt_packets(p):
    """Two messages get one number (study 9).

    Fails: AssertionError
    """
    session = p.share(Session())
    one, two = p.thread(lambda: session.next_packet_id), p.thread(lambda: session.next_packet_id)

    @p.final
    def different():
        assert one.join() != two.join()
