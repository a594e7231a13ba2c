"""eclipse-paho/paho.mqtt.python #354: publishing from a callback beside a thread that publishes.

Versions: paho-mqtt==1.5.0; paho-mqtt==1.6.1

The pair of sockets with which a client wakes its loop is replaced, as there is no loop to wake.
"""

import threading

from paho.mqtt import client as module
from paho.mqtt.client import Client, MQTTMessage


class Socket:
    def send(self, data):
        return len(data)

    def close(self):
        pass


module._socketpair_compat = lambda: (Socket(), Socket())


def a_callback_publishes():
    """1.5.0: Deadlock. 1.6.1: verified."""
    client = Client("one")
    client._sock = Socket()
    client.on_socket_register_write = lambda *_: None
    client.on_message = lambda client, data, message: client.publish("answer", qos=1)
    message = MQTTMessage(topic=b"question")
    loop = client._thread = threading.Thread(target=client._handle_on_message, args=(message,))
    loop.start()
    client.publish("other", qos=1)
    loop.join()
